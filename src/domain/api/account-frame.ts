// Names the account pages' frame and its placeholders.

/** The frame's path on the site; nothing links to it. */
export const FRAME_PATH = '/assets/account-frame/index.html'
/** The frame's title, replaced with the page's own. */
export const FRAME_TITLE = 'Your account'
/** The element replaced with the page. */
export const FRAME_PLACE = '<div id="account"></div>'
