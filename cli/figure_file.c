#define _POSIX_C_SOURCE 200809L // open_memstream
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "figure_cairo.h"
#include "number_text.h"
#include "whole_file.h"

static const double png_pixels = 2; // for each pixel of the layout: sharp on dense screens and on paper

/* A drawing in memory: the file is begun only when all of it is known. */
typedef struct drawing {
    char *data;
    size_t length;
} drawing;

static int say(char fault[FIGURE_FAULT_MAX], const char *path, const char *what) {
    snprintf(fault, FIGURE_FAULT_MAX, "%s: %s", path, what);
    return -1;
}

/* ---- drawing ---- */

static cairo_status_t to_stream(void *stream, const unsigned char *data, unsigned length) {
    return fwrite(data, 1, length, stream) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *surface_of(figure_format format, FILE *stream, double width, double height) {
    if (format == FIGURE_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width + 0.5), (int)(height + 0.5));
    if (format == FIGURE_PDF)
        return cairo_pdf_surface_create_for_stream(to_stream, stream, width, height);
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(to_stream, stream, width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    return surface;
}

/* No date: the same figure gives the same bytes. */
static void set_title(cairo_surface_t *surface, const figure *f) {
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, f->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
}

static figure_layout layout_of(const figure *f) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cr = cairo_create(surface);
    figure_layout layout;
    figure_measure(cr, f, &layout);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return layout;
}

static cairo_status_t draw_to(FILE *stream, const figure *f, figure_format format, double width) {
    figure_layout layout = layout_of(f);
    double scale = width > 0 ? width / layout.width : format == FIGURE_PNG ? png_pixels : 1;
    cairo_surface_t *surface = surface_of(format, stream, layout.width * scale, layout.height * scale);
    if (format == FIGURE_PDF)
        set_title(surface, f);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    figure_draw(cr, f, &layout);
    cairo_status_t status = cairo_status(cr);
    if (status == CAIRO_STATUS_SUCCESS && format == FIGURE_PNG)
        status = cairo_surface_write_to_png_stream(surface, to_stream, stream);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

/* ---- what screen readers and searches find in an SVG, whose letters are drawn outlines ---- */

static void put_escaped(FILE *to, const char *text) {
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        default: fputc(*text, to);
        }
}

static void put_row(FILE *to, const figure *f, const figure_panel *panel, int64_t row) {
    put_escaped(to, panel->title);
    fputs(panel->title[0] == '\0' ? "query " : ", query ", to);
    put_escaped(to, f->labels[row]);
    for (int64_t column = 0; column < f->cells; column++) {
        fputs(column == 0 ? ": " : ", ", to);
        put_escaped(to, f->labels[column]);
        int64_t cell = row * f->cells + column;
        char number[NUMBER_TEXT_MAX] = "hidden";
        if (!panel->hidden[cell])
            number_fixed(number, panel->values[cell], f->digits);
        fprintf(to, " %s", number);
    }
    fputc('\n', to);
}

static void put_words(FILE *to, const figure *f) {
    fputs("\n<title>", to);
    put_escaped(to, f->title);
    fputs("</title>\n<desc>", to);
    for (int64_t p = 0; figure_is_full(f) && p < f->panel_count; p++)
        for (int64_t row = 0; row < f->cells; row++)
            put_row(to, f, f->panels + p, row);
    fputs("</desc>", to);
}

/* Title and description come first in the element svg. */
static int describe(drawing *svg, const figure *f) {
    char *element = strstr(svg->data, "<svg "); // a memory stream ends its bytes with a 0
    char *end = element == NULL ? NULL : strchr(element, '>');
    drawing described = {0};
    FILE *stream = end == NULL ? NULL : open_memstream(&described.data, &described.length);
    if (stream == NULL)
        return -1;
    size_t before = (size_t)(end + 1 - svg->data);
    fwrite(svg->data, 1, before, stream);
    put_words(stream, f);
    fwrite(svg->data + before, 1, svg->length - before, stream);
    int failed = ferror(stream);
    failed |= fclose(stream);
    free(svg->data);
    *svg = described;
    return failed ? -1 : 0;
}

/* ---- the file ---- */

static int put_file(const char *path, const drawing *d, char fault[FIGURE_FAULT_MAX]) {
    int error = whole_file_write(path, d->data, d->length);
    return error == 0 ? 0 : say(fault, path, strerror(error));
}

int figure_write(const figure *f, const char *path, figure_format format, double width, char fault[FIGURE_FAULT_MAX]) {
    drawing d = {0};
    FILE *stream = open_memstream(&d.data, &d.length);
    if (stream == NULL)
        return say(fault, path, strerror(errno));
    cairo_status_t status = draw_to(stream, f, format, width);
    int failed = fclose(stream);
    if (status != CAIRO_STATUS_SUCCESS)
        failed = say(fault, path, cairo_status_to_string(status));
    else if (failed || (format == FIGURE_SVG && describe(&d, f) != 0))
        failed = say(fault, path, strerror(ENOMEM));
    else
        failed = put_file(path, &d, fault);
    free(d.data);
    return failed;
}
