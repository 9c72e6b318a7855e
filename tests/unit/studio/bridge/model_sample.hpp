#pragma once
// Small files of weights with the names that families are known by.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/host_api/runner.hpp"

#include <QDir>
#include <QFileInfo>
#include <QString>

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::testing {

/// Writes tensors of one dimension and so many f32 elements, or of the shape [1, channels].
inline void writeModel(const QString& path,
                       const std::vector<std::string>& names,
                       int64_t elements = 4,
                       int64_t channels = 0) {
    QDir().mkpath(QFileInfo(path).path());
    const Shape shape = channels > 0 ? Shape{1, channels} : Shape{elements};
    const auto count = static_cast<size_t>(channels > 0 ? channels : elements);
    const std::vector<std::byte> zeros(count * 4);
    std::map<std::string, files::TensorBytes> tensors;
    for (const std::string& name : names) {
        tensors[name] = {.type = DType::F32, .shape = shape, .bytes = zeros};
    }
    files::writeSafetensors(path.toStdString(), tensors);
}

/// As a module answers "recognise" that knows these files by the names of their tensors.
inline Status sampleRecognise(const std::string& path, std::string& result) {
    Json known = {{"issues", Json::array()},
                  {"kind", "unknown"},
                  {"family", ""},
                  {"runs", false},
                  {"bytes", 0},
                  {"largest_bytes", 0},
                  {"problem", ""}};
    const auto put = [&](const char* kind, const char* family, bool runs) {
        known.update({{"kind", kind}, {"family", family}, {"runs", runs}});
    };
    try {
        if (QFileInfo(QString::fromStdString(path)).isDir()) {
            put("checkpoint", "SD 1.x", true);
        } else {
            const auto header = files::readSafetensorsHeader(files::InputFile(path));
            Bytes bytes = 0;
            Bytes largest = 0;
            for (const auto& [name, tensor] : header.tensors) {
                bytes += tensor.bytes;
                largest = std::max(largest, tensor.bytes);
            }
            known.update({{"bytes", bytes}, {"largest_bytes", largest}});
            if (header.tensors.contains("conditioner.x")) {
                put("checkpoint", "SDXL", false);
            } else if (header.tensors.contains("cond_stage_model.transformer.x")) {
                put("checkpoint", "SD 1.x", true);
            } else if (header.tensors.contains("input_blocks.0.0.weight")) {
                put("denoiser", "SDXL", true);
            } else if (header.tensors.contains("decoder.conv_in.weight")) {
                put("autoencoder", "autoencoder", true);
            }
        }
    } catch (const Error& error) {
        known["problem"] = error.message().str();
    }
    result = known.dump();
    return Status::Ok;
}

inline const std::vector<std::string> kSd15 = {"model.diffusion_model.input_blocks.0.0.weight",
                                               "cond_stage_model.transformer.x",
                                               "first_stage_model.decoder.x"};

}  // namespace lowtide::testing
