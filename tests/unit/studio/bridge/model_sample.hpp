#pragma once
// Small files of weights with the names that families are known by.

#include "plugin/files/safetensors.hpp"

#include <QDir>
#include <QFileInfo>
#include <QString>

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

inline const std::vector<std::string> kSd15 = {"model.diffusion_model.input_blocks.0.0.weight",
                                               "cond_stage_model.transformer.x",
                                               "first_stage_model.decoder.x"};

}  // namespace lowtide::testing
