#pragma once

#include "plugin/host_api/host.hpp"

#include <memory>
#include <vector>

namespace lowtide::testing {

/// Frames of a video with slopes of colour and a square that moves; no two are alike.
[[nodiscard]] inline std::vector<Image8> movingFrames(int count, int width, int height) {
    std::vector<Image8> frames;
    for (int i = 0; i < count; ++i) {
        Image8 frame{.widthPixels = width, .heightPixels = height};
        const auto pixels = std::make_shared<uint8_t[]>(frame.byteCount());
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                uint8_t* pixel = pixels.get() + 3 * (y * width + x);
                const bool isSquare = x >= 3 * i && x < 3 * i + 8 && y >= 4 && y < 12;
                pixel[0] = static_cast<uint8_t>(isSquare ? 240 : x * 200 / width);
                pixel[1] = static_cast<uint8_t>(isSquare ? 40 : y * 200 / height);
                pixel[2] = static_cast<uint8_t>(isSquare ? 20 * i : 90);
            }
        }
        frame.pixels = pixels;
        frames.push_back(frame);
    }
    return frames;
}

}  // namespace lowtide::testing
