/* browser.h - shows an address in the reader's browser. */
#ifndef BROWSER_H
#define BROWSER_H

/* Starts xdg-open and does not wait for it.  Returns 0, or what errno said when it cannot be started. */
int browser_open(const char *address);

#endif
