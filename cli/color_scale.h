/* color_scale.h - the colours of weights, and what can be read on them.

   One hue, from light to dark (or from dark to light on a dark page), evenly spaced in CIE L*: equal steps of
   weight are equal steps of lightness, so the order survives grey print and does not depend on telling hues apart. */
#ifndef COLOR_SCALE_H
#define COLOR_SCALE_H

typedef struct color {
    double red, green, blue; // sRGB, 0..1
} color;

typedef enum color_theme { THEME_LIGHT, THEME_DARK } color_theme;

/* Colour of a value that lies at fraction (0..1, cut to it) of the scale: 0 is close to the page, 1 far from it. */
color color_scale_at(color_theme theme, double fraction);
/* CIE 1976 lightness L*, 0..100. */
double color_lightness(color c);
/* Contrast ratio of WCAG 2.1, 1..21; text needs 4.5. */
double color_contrast(color a, color b);
/* Black or white, whichever reads better on ground. */
color color_ink_on(color ground);

#endif
