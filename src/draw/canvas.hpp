#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/draw/draw.hpp"

namespace sau::detail {

struct Colour {
  double red = 0.0, green = 0.0, blue = 0.0, alpha = 1.0;  // 0 to 1

  Colour faded(double by) const noexcept { return {red, green, blue, alpha * by}; }
};

// "#rrggbb"; a medium grey for anything else.
Colour colour_of(std::string_view text);

struct Point {
  double x = 0.0, y = 0.0;  // from the upper left corner
};

struct Box {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;

  double width() const noexcept { return right - left; }
  double height() const noexcept { return bottom - top; }
};

struct Pen {
  Colour colour;
  double width = 1.0;
  std::vector<double> dash = {};  // lengths of strokes and gaps; empty: solid
};

enum class Align { kLeft, kCentre, kRight };

struct TextStyle {
  Colour colour;
  double size = 13.0;
  Align align = Align::kLeft;
  bool bold = false;
  bool upwards = false;  // rotated left, reads from bottom to top
};

// A sheet of paper in one of the formats. The given height of a text is the middle of its small
// letters. Points with NaN or infinite coordinates are not drawn.
class Canvas {
 public:
  // `height` instead of that of the options.
  Canvas(PictureFormat format, const DrawOptions& options, double height, std::string title);
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  ~Canvas();

  double width() const noexcept { return width_; }
  double height() const noexcept { return height_; }

  void fill(Colour colour);
  void line(std::span<const Point> points, const Pen& pen);
  void polygon(std::span<const Point> points, Colour colour);
  void rectangle(const Box& box, Colour inside, const Pen& edge);
  void text(Point place, std::string_view text, const TextStyle& style);
  double text_width(std::string_view text, const TextStyle& style);
  // The text; if it is too wide, with an ellipsis in the middle, since names differ at their ends.
  std::string fitted(std::string text, const TextStyle& style, double width);
  // A shape by its name in AlgorithmStyle, about twice `radius` wide.
  void marker(Point place, std::string_view shape, double radius, Colour inside, const Pen& edge);

  // From now on the canvas is only this part of the paper, until the next close_window().
  void open_window(const Box& box);
  void close_window();

  // Nothing is drawn outside the box until the next unclip().
  void clip(const Box& box);
  void unclip();

  // The bytes of the picture. Do not draw on the canvas after this. Throws Error when drawing
  // failed, for lack of memory for example.
  std::string finish();

 private:
  struct Surface;
  void stroke(const Pen& pen);

  PictureFormat format_;
  double width_, height_;
  double paper_width_, paper_height_;  // also while a window is open
  std::string title_;
  std::unique_ptr<Surface> surface_;
};

}  // namespace sau::detail
