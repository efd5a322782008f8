#include "color_scale.h"

#include <math.h>

/* "Blues", nine classes, of ColorBrewer: M. Harrower and C. A. Brewer, "ColorBrewer.org: an online tool for
   selecting colour schemes for maps", The Cartographic Journal 40 (2003). This product includes color
   specifications and designs developed by Cynthia Brewer (http://colorbrewer.org/). The colours are theirs; their
   places on the scale are not: each stands at its own lightness. */
static const unsigned char anchors[][3] = {
    {247, 251, 255}, {222, 235, 247}, {198, 219, 239}, {158, 202, 225}, {107, 174, 214},
    {66, 146, 198},  {33, 113, 181},  {8, 81, 156},    {8, 48, 107},
};
enum { ANCHORS = sizeof anchors / sizeof *anchors };

typedef struct lab {
    double lightness, green_red, blue_yellow; // L*, a*, b*
} lab;

static double linear_from_srgb(double s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

static double srgb_from_linear(double s) {
    double encoded = s <= 0.0031308 ? 12.92 * s : 1.055 * pow(s, 1 / 2.4) - 0.055;
    return fmin(1, fmax(0, encoded));
}

static double lab_from_ratio(double t) { return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116; }

static double ratio_from_lab(double f) { return f > 6.0 / 29 ? f * f * f : (116 * f - 16) * 27 / 24389; }

/* Relative luminance Y of IEC 61966-2-1, which is also WCAG's. */
static double luminance(color c) {
    return 0.2126 * linear_from_srgb(c.red) + 0.7152 * linear_from_srgb(c.green) + 0.0722 * linear_from_srgb(c.blue);
}

/* White point D65 throughout. */
static lab lab_from_color(color c) {
    double r = linear_from_srgb(c.red), g = linear_from_srgb(c.green), b = linear_from_srgb(c.blue);
    double x = lab_from_ratio((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
    double y = lab_from_ratio(luminance(c));
    double z = lab_from_ratio((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0890);
    return (lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static color color_from_lab(lab l) {
    double f = (l.lightness + 16) / 116;
    double x = 0.9505 * ratio_from_lab(f + l.green_red / 500);
    double y = ratio_from_lab(f);
    double z = 1.0890 * ratio_from_lab(f - l.blue_yellow / 200);
    return (color){srgb_from_linear(3.2406 * x - 1.5372 * y - 0.4986 * z),
                   srgb_from_linear(-0.9689 * x + 1.8758 * y + 0.0415 * z),
                   srgb_from_linear(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

static lab anchor_at(int index) {
    const unsigned char *a = anchors[index];
    return lab_from_color((color){a[0] / 255.0, a[1] / 255.0, a[2] / 255.0});
}

/* The colour of the ramp that has this lightness. */
static color color_of_lightness(double lightness) {
    int upper = 1;
    while (upper < ANCHORS - 1 && anchor_at(upper).lightness > lightness)
        upper++;
    lab from = anchor_at(upper - 1), to = anchor_at(upper);
    double part = (lightness - from.lightness) / (to.lightness - from.lightness);
    return color_from_lab((lab){lightness, from.green_red + part * (to.green_red - from.green_red),
                                from.blue_yellow + part * (to.blue_yellow - from.blue_yellow)});
}

color color_scale_at(color_theme theme, double fraction) {
    double part = fmin(1, fmax(0, fraction)); // fmax also turns NaN into 0
    double light = anchor_at(0).lightness, dark = anchor_at(ANCHORS - 1).lightness;
    return color_of_lightness(theme == THEME_DARK ? dark + part * (light - dark) : light + part * (dark - light));
}

double color_lightness(color c) { return lab_from_color(c).lightness; }

double color_contrast(color a, color b) {
    double first = luminance(a), second = luminance(b);
    return (fmax(first, second) + 0.05) / (fmin(first, second) + 0.05);
}

color color_ink_on(color ground) {
    const color black = {0, 0, 0}, white = {1, 1, 1};
    return color_contrast(ground, black) >= color_contrast(ground, white) ? black : white;
}
