#pragma once

#include <QString>
#include <QStringList>

namespace lowtide::testing {

/// The checkpoint of that size which big_checkpoint.py makes, in `folder` of the cache folder; made
/// when it is not there. Throws std::runtime_error when it cannot be.
[[nodiscard]] QString bigCheckpoint(const QString& size, const QString& folder);
/// The same of xl_checkpoint.py: a folder with model.safetensors, Stable Diffusion XL.
[[nodiscard]] QString bigXlCheckpoint(const QString& folder);
/// A LoRA of lora_file.py over the whole of such a checkpoint, for which `arguments` are those
/// before its path; made when it is not there.
[[nodiscard]] QString bigLora(const QStringList& arguments, const QString& path);

}  // namespace lowtide::testing
