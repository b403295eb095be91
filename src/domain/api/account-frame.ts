// Names the frame of the account pages and its placeholders.

/** Path of the frame in the site; nothing links to it. */
export const FRAME_PATH = '/assets/account-frame/index.html'
/** The frame's title, replaced with the page's own. */
export const FRAME_TITLE = 'Your account'
/** The element replaced with the page. */
export const FRAME_PLACE = '<div id="account"></div>'
