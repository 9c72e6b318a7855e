#include "ui/document/image_size.hpp"

#include "ui/document/json_members.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace lowtide::ui {

namespace {

constexpr std::array kRatios = {Ratio{21, 9},
                                Ratio{16, 9},
                                Ratio{3, 2},
                                Ratio{4, 3},
                                Ratio{5, 4},
                                Ratio{1, 1},
                                Ratio{4, 5},
                                Ratio{3, 4},
                                Ratio{2, 3},
                                Ratio{9, 16},
                                Ratio{9, 21}};

int64_t lengthNear(double side, const SizeLimits& limits) {
    const int64_t multiple = std::max<int64_t>(1, limits.multiple);
    const int64_t least = (std::max<int64_t>(1, limits.least) + multiple - 1) / multiple * multiple;
    const int64_t near = std::llround(side / static_cast<double>(multiple)) * multiple;
    const int64_t most =
        limits.most > 0 ? std::max(least, limits.most / multiple * multiple) : near;
    return std::max(least, std::min(near, most));
}

}  // namespace

std::span<const Ratio> usualRatios() {
    return kRatios;
}

SizeLimits sizeLimitsOf(const ParamDesc& param) {
    return {.multiple = std::max<int64_t>(1, std::llround(param.step.value_or(1))),
            .least = std::max<int64_t>(1, std::llround(param.min.value_or(1))),
            .most = std::llround(param.max.value_or(0))};
}

PixelSize sizeOfRatio(Ratio ratio, int64_t pixels, const SizeLimits& limits) {
    const double unit =
        std::sqrt(static_cast<double>(pixels) / static_cast<double>(ratio.across * ratio.down));
    return {.width = lengthNear(unit * static_cast<double>(ratio.across), limits),
            .height = lengthNear(unit * static_cast<double>(ratio.down), limits)};
}

int64_t usualPixelsFor(const graph::Document& document,
                       const std::string& node,
                       const Json& facts) {
    std::vector<std::string> behind{node};  // nearest first
    for (size_t next = 0; next < behind.size(); ++next) {
        const Json& stated = memberIn(memberIn(facts, behind[next].c_str()), "usual_pixels");
        if (stated.is_number_integer()) {
            return stated.get<int64_t>();
        }
        for (const graph::Link& link : document.links) {
            if (link.from.node == behind[next] &&
                std::ranges::find(behind, link.to.node) == behind.end()) {
                behind.push_back(link.to.node);
            }
        }
    }
    return 0;
}

/// Each side is at most half a multiple off, so width * down and height * across differ by at most
/// that of both.
std::optional<Ratio> ratioOf(const PixelSize& size, const SizeLimits& limits) {
    const auto offOf = [&](const Ratio& ratio) {
        return static_cast<double>(std::abs(size.width * ratio.down - size.height * ratio.across)) /
               static_cast<double>(ratio.across + ratio.down);
    };
    const Ratio nearest = *std::ranges::min_element(kRatios, {}, offOf);
    return offOf(nearest) * 2 <= static_cast<double>(limits.multiple) ? std::optional(nearest)
                                                                      : std::nullopt;
}

}  // namespace lowtide::ui
