/* json_text.h - what jansson does not say about a JSON text: how deep it nests, on which line a value stands,
   and how to print a value that should have been another. */
#ifndef AT_JSON_TEXT_H
#define AT_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { AT_JSON_DEPTH_MAX = 64 };

/* Whether a text, valid or not, nests deeper than AT_JSON_DEPTH_MAX; *offset is then where. */
bool at_json_too_deep(const char *text, size_t length, size_t *offset);

/* The line of a value in valid JSON, counted from 1.  path[0] is the place of a key in the outermost object,
   path[1] the place in that key's value, and so on for depth steps, all counted from 0; 1 when nothing is there. */
enum { AT_JSON_STEPS_MAX = 3 };
size_t at_json_line(const char *text, size_t length, const size_t *path, int depth);

/* The same for an offset. */
size_t at_json_line_of_offset(const char *text, size_t offset);

/* A number, a string or a keyword as JSON; "an array" or "an object". */
at_printable at_json_found(const json_t *value);

#endif
