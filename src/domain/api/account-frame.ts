// Defines the path of the account pages' frame, and its placeholders.

/** The frame's path on the site; nothing links to it. */
export const FRAME_PATH = '/assets/account-frame/index.html'
/** The frame's title, which is replaced with the title of the page. */
export const FRAME_TITLE = 'Your account'
/** The element that is replaced with the page. */
export const FRAME_PLACE = '<div id="account"></div>'
