#define _XOPEN_SOURCE 700 /* wcwidth, newlocale */
#include "text_width.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

/* Decodes one character under whatever locale is current. */
static size_t decode(const char *text, wchar_t *character) {
    mbstate_t state;
    memset(&state, 0, sizeof state);
    return mbrtowc(character, text, strlen(text), &state);
}

/* A locale that knows UTF-8, made once and kept: the user's own may not, and its numbers must not reach printf. */
static locale_t utf8_locale(void) {
    static locale_t locale = (locale_t)0;
    if (locale == (locale_t)0)
        locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return locale;
}

size_t text_character(const char *text, int *columns) {
    *columns = 0;
    if (text[0] == '\0')
        return 0;
    locale_t utf8 = utf8_locale();
    locale_t before = utf8 == (locale_t)0 ? (locale_t)0 : uselocale(utf8);
    wchar_t character = 0;
    size_t bytes = decode(text, &character);
    *columns = bytes > strlen(text) ? -1 : wcwidth(character);
    if (before != (locale_t)0)
        uselocale(before);
    return bytes > strlen(text) ? 1 : bytes;
}

int text_width(const char *text) {
    int width = 0, columns = 0;
    for (size_t bytes = text_character(text, &columns); bytes > 0; bytes = text_character(text, &columns)) {
        width += columns < 0 ? 1 : columns;
        text += bytes;
    }
    return width;
}
