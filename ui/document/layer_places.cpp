#include "ui/document/layer_places.hpp"

#include <algorithm>
#include <limits>

namespace lowtide::ui {

namespace {

constexpr double kColumnGap = 80;
constexpr double kRowGap = 40;
constexpr double kBendGap = 16;
constexpr double kPortsBelowTop = 48;
constexpr int kRounds = 8;
/// Wires that cross layers stay straight before nodes come nearer to each other.
constexpr double kBendWeight = 4;

/// Vertices that stand directly on each other and move as one.
struct Block {
    double weight = 0;
    double weightedSum = 0;
    size_t count = 0;

    double mean() const { return weightedSum / weight; }
};

class Placing {
public:
    Placing(const Layers& layers, const std::vector<Point>& sizes)
        : layers_(layers), sizes_(sizes), tops_(layers.layerOf.size(), 0) {}

    std::vector<double> tops() {
        for (const std::vector<size_t>& layer : layers_.order) {
            settle(layer, std::vector<double>(layer.size(), 0));
        }
        for (int round = 0; round < kRounds; ++round) {
            const size_t count = layers_.order.size();
            for (size_t step = 1; step < count; ++step) {
                pull(layers_.order[step], layers_.predecessors);
            }
            for (size_t step = 1; step < count; ++step) {
                pull(layers_.order[count - 1 - step], layers_.successors);
            }
        }
        return tops_;
    }

private:
    bool isBend(size_t vertex) const { return vertex >= layers_.realCount; }

    double heightOf(size_t vertex) const { return isBend(vertex) ? 0 : sizes_[vertex].y; }

    double wireOf(size_t vertex) const { return isBend(vertex) ? 0 : wireHeight(sizes_[vertex]); }

    double gapBetween(size_t above, size_t below) const {
        return isBend(above) && isBend(below) ? kBendGap : kRowGap;
    }

    void pull(const std::vector<size_t>& layer,
              const std::vector<std::vector<size_t>>& neighbours) {
        std::vector<double> wanted;
        for (const size_t vertex : layer) {
            double sum = 0;
            for (const size_t neighbour : neighbours[vertex]) {
                sum += tops_[neighbour] + wireOf(neighbour);
            }
            wanted.push_back(neighbours[vertex].empty()
                                 ? tops_[vertex]
                                 : sum / static_cast<double>(neighbours[vertex].size()) -
                                       wireOf(vertex));
        }
        settle(layer, wanted);
    }

    /// The places nearest to the wanted ones (weighted least squares) that keep order and gaps: an
    /// isotonic regression, solved by pooling adjacent violators.
    void settle(const std::vector<size_t>& layer, const std::vector<double>& wanted) {
        std::vector<Block> blocks;
        std::vector<double> offsets;  // of each vertex when all stand directly on each other
        for (size_t place = 0; place < layer.size(); ++place) {
            const size_t above = place == 0 ? 0 : layer[place - 1];
            offsets.push_back(place == 0 ? 0
                                         : offsets.back() + heightOf(above) +
                                               gapBetween(above, layer[place]));
            const double weight = isBend(layer[place]) ? kBendWeight : 1;
            blocks.push_back({weight, weight * (wanted[place] - offsets[place]), 1});
            while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
                const Block lower = blocks.back();
                blocks.pop_back();
                blocks.back().weight += lower.weight;
                blocks.back().weightedSum += lower.weightedSum;
                blocks.back().count += lower.count;
            }
        }
        size_t place = 0;
        for (const Block& block : blocks) {
            for (size_t end = place + block.count; place < end; ++place) {
                tops_[layer[place]] = block.mean() + offsets[place];
            }
        }
    }

    const Layers& layers_;
    const std::vector<Point>& sizes_;
    std::vector<double> tops_;
};

std::vector<Point> columnsOf(const Layers& layers, const std::vector<Point>& sizes) {
    std::vector<Point> columns;
    double left = 0;
    for (const std::vector<size_t>& layer : layers.order) {
        double width = 0;
        for (const size_t vertex : layer) {
            width = std::max(width, vertex < layers.realCount ? sizes[vertex].x : 0);
        }
        columns.push_back({left, left + width});
        left += width + kColumnGap;
    }
    return columns;
}

}  // namespace

double wireHeight(Point size) {
    return std::min(size.y / 2, kPortsBelowTop);
}

LayerPlaces placeLayers(const Layers& layers, const std::vector<Point>& sizes) {
    LayerPlaces places{.columns = columnsOf(layers, sizes)};
    const std::vector<double> tops = Placing(layers, sizes).tops();
    double top = std::numeric_limits<double>::max();
    for (size_t vertex = 0; vertex < layers.realCount; ++vertex) {
        top = std::min(top, tops[vertex]);
    }
    for (size_t vertex = 0; vertex < tops.size(); ++vertex) {
        const double y = tops[vertex] - top;
        places.topLefts.push_back({places.columns[layers.layerOf[vertex]].x, y});
        places.height =
            std::max(places.height, y + (vertex < layers.realCount ? sizes[vertex].y : 0));
    }
    return places;
}

}  // namespace lowtide::ui
