#include "draw/canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <new>
#include <numbers>

#include "sau/core/error.hpp"

namespace sau::detail {
namespace {

constexpr double kMiddleOfSmallLetters =
    0.36;  // height above the baseline, as a share of the font size

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int size) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;  // exceptions must not pass through C
  }
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error(std::string("cannot draw a figure: ") + cairo_status_to_string(status));
  }
}

void set_source(cairo_t* cairo, const Colour& colour) {
  cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, colour.alpha);
}

bool has_place(const Point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

// Corners of a shape with centre 0 and radius 1; empty for a circle.
std::vector<Point> corners_of(std::string_view shape) {
  if (shape == "square") return {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}};
  if (shape == "diamond") return {{0, -1.25}, {1.0, 0}, {0, 1.25}, {-1.0, 0}};
  if (shape == "triangle-up") return {{0, -1.1}, {1.1, 0.9}, {-1.1, 0.9}};
  if (shape == "triangle-down") return {{0, 1.1}, {1.1, -0.9}, {-1.1, -0.9}};
  if (shape == "triangle-left") return {{-1.1, 0}, {0.9, -1.1}, {0.9, 1.1}};
  if (shape == "triangle-right") return {{1.1, 0}, {-0.9, -1.1}, {-0.9, 1.1}};
  if (shape == "cross") {
    constexpr double kArm = 1.15, kHalf = 0.4;
    return {{-kHalf, -kArm}, {kHalf, -kArm}, {kHalf, -kHalf}, {kArm, -kHalf},
            {kArm, kHalf},   {kHalf, kHalf}, {kHalf, kArm},   {-kHalf, kArm},
            {-kHalf, kHalf}, {-kArm, kHalf}, {-kArm, -kHalf}, {-kHalf, -kHalf}};
  }
  return {};  // a circle
}

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Cairo writes a running number of the process into each file; we replace it, so that the same
// figure gives the same bytes. We add the title, for screen readers, because Cairo cannot.
std::string finished_svg(std::string svg, const std::string& title) {
  constexpr std::string_view kId = "id=\"surface";
  for (std::size_t at = 0; (at = svg.find(kId, at)) != std::string::npos;) {
    at += kId.size();
    svg.replace(at, svg.find('"', at) - at, "1");
  }
  const std::size_t inside = svg.find('>', svg.find("<svg")) + 1;
  return svg.insert(inside, "\n<title>" + xml_escaped(title) + "</title>");
}

}  // namespace

Colour colour_of(std::string_view text) {
  unsigned value = 0x808080;
  if (text.size() == 7 && text[0] == '#') {
    std::from_chars(text.data() + 1, text.data() + text.size(), value, 16);
  }
  const auto part = [value](unsigned shift) { return ((value >> shift) & 0xFF) / 255.0; };
  return {part(16), part(8), part(0)};
}

struct Canvas::Surface {
  std::string bytes;
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;

  Surface() = default;
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;
  ~Surface() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }
};

Canvas::Canvas(PictureFormat format, const DrawOptions& options, double height, std::string title)
    : format_(format),
      width_(options.width),
      height_(height),
      paper_width_(options.width),
      paper_height_(height),
      title_(std::move(title)),
      surface_(std::make_unique<Surface>()) {
  Surface& own = *surface_;
  const double width = options.width, pixels = options.pixels;
  double scale = options.scale;
  switch (format) {
    case PictureFormat::kSvg:
      own.surface =
          cairo_svg_surface_create_for_stream(append, &own.bytes, scale * width, scale * height);
      cairo_svg_surface_set_document_unit(own.surface,
                                          options.printed ? CAIRO_SVG_UNIT_PT : CAIRO_SVG_UNIT_PX);
      break;
    case PictureFormat::kPdf:
      own.surface =
          cairo_pdf_surface_create_for_stream(append, &own.bytes, scale * width, scale * height);
      cairo_pdf_surface_set_metadata(own.surface, CAIRO_PDF_METADATA_TITLE, title_.c_str());
      // No date, so that the same figure gives the same bytes.
      cairo_pdf_surface_set_metadata(own.surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
      break;
    case PictureFormat::kPng:
      own.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                               static_cast<int>(std::lround(width * pixels)),
                                               static_cast<int>(std::lround(height * pixels)));
      scale = pixels;
      break;
  }
  check(cairo_surface_status(own.surface));
  own.cairo = cairo_create(own.surface);
  if (scale != 1.0) cairo_scale(own.cairo, scale, scale);
  // No hinting, so that letters have the same widths in every format and at every size.
  cairo_font_options_t* const font = cairo_font_options_create();
  cairo_font_options_set_hint_style(font, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(font, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(font, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(own.cairo, font);
  cairo_font_options_destroy(font);
  cairo_set_line_join(own.cairo, CAIRO_LINE_JOIN_ROUND);
}

Canvas::~Canvas() = default;

void Canvas::fill(Colour colour) {
  set_source(surface_->cairo, colour);
  if (width_ == paper_width_ && height_ == paper_height_) return cairo_paint(surface_->cairo);
  cairo_rectangle(surface_->cairo, 0.0, 0.0, width_, height_);
  cairo_fill(surface_->cairo);
}

void Canvas::open_window(const Box& box) {
  cairo_save(surface_->cairo);
  cairo_translate(surface_->cairo, box.left, box.top);
  width_ = box.width();
  height_ = box.height();
}

void Canvas::close_window() {
  cairo_restore(surface_->cairo);
  width_ = paper_width_;
  height_ = paper_height_;
}

void Canvas::stroke(const Pen& pen) {
  cairo_t* const cairo = surface_->cairo;
  set_source(cairo, pen.colour);
  cairo_set_line_width(cairo, pen.width);
  cairo_set_dash(cairo, pen.dash.data(), static_cast<int>(pen.dash.size()), 0.0);
  cairo_stroke(cairo);
}

void Canvas::line(std::span<const Point> points, const Pen& pen) {
  bool pen_down = false;
  for (const Point& point : points) {
    if (!has_place(point)) {
      pen_down = false;
    } else if (pen_down) {
      cairo_line_to(surface_->cairo, point.x, point.y);
    } else {
      cairo_move_to(surface_->cairo, point.x, point.y);
      pen_down = true;
    }
  }
  stroke(pen);
}

void Canvas::polygon(std::span<const Point> points, Colour colour) {
  for (const Point& point : points) {
    if (has_place(point)) cairo_line_to(surface_->cairo, point.x, point.y);
  }
  cairo_close_path(surface_->cairo);
  set_source(surface_->cairo, colour);
  cairo_fill(surface_->cairo);
}

void Canvas::rectangle(const Box& box, Colour inside, const Pen& edge) {
  if (!has_place({box.left, box.top}) || !has_place({box.right, box.bottom})) return;
  cairo_rectangle(surface_->cairo, box.left, box.top, box.width(), box.height());
  set_source(surface_->cairo, inside);
  cairo_fill_preserve(surface_->cairo);
  stroke(edge);
}

void Canvas::marker(Point place, std::string_view shape, double radius, Colour inside,
                    const Pen& edge) {
  if (!has_place(place)) return;
  cairo_t* const cairo = surface_->cairo;
  const auto corners = corners_of(shape);
  cairo_new_path(cairo);
  for (const Point& corner : corners) {
    cairo_line_to(cairo, place.x + radius * corner.x, place.y + radius * corner.y);
  }
  if (corners.empty()) cairo_arc(cairo, place.x, place.y, radius, 0.0, 2.0 * std::numbers::pi);
  cairo_close_path(cairo);
  set_source(cairo, inside);
  cairo_fill_preserve(cairo);
  if (edge.width > 0.0) stroke(edge);
  cairo_new_path(cairo);
}

namespace {

// A letter may be several bytes.
std::vector<std::string> letters_of(const std::string& text) {
  std::vector<std::string> letters;
  for (const char c : text) {
    if (letters.empty() || (static_cast<unsigned char>(c) & 0xC0) != 0x80) letters.emplace_back();
    letters.back() += c;
  }
  return letters;
}

void choose_font(cairo_t* cairo, const TextStyle& style) {
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, style.size);
}

}  // namespace

double Canvas::text_width(std::string_view text, const TextStyle& style) {
  choose_font(surface_->cairo, style);
  cairo_text_extents_t extents{};
  cairo_text_extents(surface_->cairo, std::string(text).c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(Point place, std::string_view text, const TextStyle& style) {
  if (text.empty() || !has_place(place)) return;
  cairo_t* const cairo = surface_->cairo;
  const double width = text_width(text, style);
  const double back = style.align == Align::kLeft     ? 0.0
                      : style.align == Align::kCentre ? 0.5 * width
                                                      : width;
  cairo_save(cairo);
  cairo_translate(cairo, place.x, place.y);
  if (style.upwards) cairo_rotate(cairo, -0.5 * std::numbers::pi);
  cairo_move_to(cairo, -back, kMiddleOfSmallLetters * style.size);
  set_source(cairo, style.colour);
  cairo_show_text(cairo, std::string(text).c_str());
  cairo_new_path(cairo);
  cairo_restore(cairo);
}

std::string Canvas::fitted(std::string text, const TextStyle& style, double width) {
  if (text_width(text, style) <= width) return text;
  const auto letters = letters_of(text);
  std::string shorter;
  for (std::size_t kept = letters.size(); kept-- > 0;) {
    shorter.clear();
    for (std::size_t i = 0; i < (kept + 1) / 2; ++i) shorter += letters[i];
    shorter += "\u2026";
    for (std::size_t i = letters.size() - kept / 2; i < letters.size(); ++i) shorter += letters[i];
    if (text_width(shorter, style) <= width) break;
  }
  return shorter;
}

void Canvas::clip(const Box& box) {
  cairo_save(surface_->cairo);
  cairo_rectangle(surface_->cairo, box.left, box.top, box.width(), box.height());
  cairo_clip(surface_->cairo);
}

void Canvas::unclip() { cairo_restore(surface_->cairo); }

std::string Canvas::finish() {
  Surface& own = *surface_;
  if (format_ == PictureFormat::kPng) {
    check(cairo_surface_write_to_png_stream(own.surface, append, &own.bytes));
  } else {
    cairo_show_page(own.cairo);
  }
  check(cairo_status(own.cairo));
  cairo_surface_finish(own.surface);
  check(cairo_surface_status(own.surface));
  return format_ == PictureFormat::kSvg ? finished_svg(std::move(own.bytes), title_)
                                        : std::move(own.bytes);
}

}  // namespace sau::detail
