/* embedded_page.h - the page that was built in. */
#ifndef EMBEDDED_PAGE_H
#define EMBEDDED_PAGE_H

#include "server/server.h"

/* The page; NULL after a message when this program was built without one. */
const server_page *embedded_page(void);

#endif
