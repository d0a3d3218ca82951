#include "draw/labels.hpp"

#include <algorithm>

namespace sau::detail {
namespace {

constexpr double kLeader = 14.0, kSwatch = 24.0, kSwatchGap = 6.0;

}  // namespace

std::vector<double> spread_out(std::vector<double> wanted, double distance, double low,
                               double high) {
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  // Labels that touch form a block, which is centred at the mean of their wanted places.
  struct Block {
    double sum = 0.0, top = 0.0;
    std::size_t size = 0;
  };
  const auto settle = [&](Block& block) {
    const double length = distance * static_cast<double>(block.size - 1);
    const double middle = block.sum / static_cast<double>(block.size);
    block.top = std::max(low, std::min(middle - 0.5 * length, high - length));
  };
  std::vector<Block> blocks;
  for (const std::size_t i : order) {
    blocks.push_back({.sum = wanted[i], .top = 0.0, .size = 1});
    settle(blocks.back());
    while (blocks.size() > 1) {
      Block& last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      if (before.top + distance * static_cast<double>(before.size) <= last.top) break;
      before.sum += last.sum;
      before.size += last.size;
      settle(before);
      blocks.pop_back();
    }
  }
  std::size_t next = 0;
  for (const Block& block : blocks) {
    for (std::size_t k = 0; k < block.size; ++k) {
      wanted[order[next++]] = block.top + distance * static_cast<double>(k);
    }
  }
  return wanted;
}

double labels_width(const Sheet& sheet, Canvas& canvas, const std::vector<LineLabel>& labels) {
  double widest = 0.0;
  for (const LineLabel& label : labels) {
    widest = std::max(widest, canvas.text_width(label.algorithm + label.remark, plain_text(sheet)));
  }
  return kLeader + kSwatch + kSwatchGap + std::min(widest, kWidestName * sheet.options.width);
}

void draw_labels(Plot& plot, const std::vector<LineLabel>& labels, LabelKind kind) {
  std::vector<double> wanted;
  wanted.reserve(labels.size());
  for (const LineLabel& label : labels) wanted.push_back(label.place);
  const double top = plot.area.top + 0.5 * kLabelHeight;
  const double bottom = plot.area.bottom - 0.5 * kLabelHeight;
  const double distance = std::min(
      kLabelHeight, (bottom - top) / std::max(1.0, static_cast<double>(labels.size()) - 1.0));
  const auto places = spread_out(wanted, distance, top, bottom);
  const double left = plot.area.right + kLeader;
  const TextStyle style = plain_text(plot.sheet);
  const double room = plot.canvas.width() - kEdge - left - kSwatch - kSwatchGap;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Look& look = plot.sheet.look(labels[i].algorithm);
    if (kind == LabelKind::kLine) {
      if (labels[i].leader) {
        plot.canvas.line(
            std::vector<Point>{{plot.area.right + 2.0, wanted[i]}, {left - 2.0, places[i]}},
            {look.colour.faded(0.5), 0.8});
      }
      plot.canvas.line(std::vector<Point>{{left, places[i]}, {left + kSwatch, places[i]}},
                       {look.colour, 2.0, look.dash});
    }
    plot.canvas.marker({left + 0.5 * kSwatch, places[i]}, look.shape, 4.0, look.colour,
                       {plot.sheet.theme.paper, 1.0});
    plot.canvas.text({left + kSwatch + kSwatchGap, places[i]},
                     plot.canvas.fitted(labels[i].algorithm + labels[i].remark, style, room),
                     style);
  }
}

}  // namespace sau::detail
