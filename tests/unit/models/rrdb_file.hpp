#pragma once

#include "plugin/files/safetensors.hpp"

#include <map>
#include <string>
#include <vector>

namespace lowtide::testing {

/// Names and shapes of an ESRGAN file, to be changed by a test before it is written.
struct RrdbFile {
    enum class Style { Old, Trunk, Basicsr };

    std::map<std::string, Shape> tensors;

    RrdbFile(Style style, int64_t width, int64_t growth, int blocks, int ups, int64_t channels) {
        const bool isOld = style == Style::Old;
        const bool isTrunk = style == Style::Trunk;
        const std::string last = std::to_string(3 * ups + 4);
        add(isOld ? "model.0" : "conv_first", width, channels);
        for (int block = 0; block < blocks; ++block) {
            const std::string body = isOld ? "model.1.sub." : isTrunk ? "RRDB_trunk." : "body.";
            for (int part = 1; part <= 3; ++part) {
                const std::string name = body + std::to_string(block) +
                                         (style == Style::Basicsr ? ".rdb" : ".RDB") +
                                         std::to_string(part) + ".conv";
                for (int conv = 1; conv <= 5; ++conv) {
                    add(name + std::to_string(conv) + (isOld ? ".0" : ""),
                        conv == 5 ? width : growth,
                        width + (conv - 1) * growth);
                }
            }
        }
        add(isOld     ? "model.1.sub." + std::to_string(blocks)
            : isTrunk ? "trunk_conv"
                      : "conv_body",
            width,
            width);
        for (int up = 1; up <= ups; ++up) {
            add(isOld ? "model." + std::to_string(3 * up)
                      : (isTrunk ? "upconv" : "conv_up") + std::to_string(up),
                width,
                width);
        }
        add(isOld     ? "model." + std::to_string(3 * ups + 2)
            : isTrunk ? "HRconv"
                      : "conv_hr",
            width,
            width);
        add(isOld ? "model." + last : "conv_last", 3, width);
    }

    void add(const std::string& name, int64_t out, int64_t in) {
        tensors[name + ".weight"] = {out, in, 3, 3};
        tensors[name + ".bias"] = {out};
    }

    /// Weights of zeros.
    void write(const std::string& path) const {
        int64_t most = 0;
        for (const auto& [name, shape] : tensors) {
            most = std::max(most, elementCount(shape).value());
        }
        const std::vector<float> zeros(static_cast<size_t>(most));
        std::map<std::string, files::TensorBytes> written;
        for (const auto& [name, shape] : tensors) {
            const auto count = static_cast<size_t>(elementCount(shape).value());
            written[name] = {DType::F32, shape, std::as_bytes(std::span(zeros).first(count))};
        }
        files::writeSafetensors(path, written);
    }
};

}  // namespace lowtide::testing
