#include "tests/unit/models/converted_file.hpp"

#include "plugin/residency/storage_elements.hpp"

#include <QFileInfo>

namespace lowtide::testing {

ReadTensors readWeights(const std::string& path) {
    const models::WeightFileHeader header = models::openWeightFile(path);
    const auto file = std::make_shared<const files::InputFile>(path);
    std::vector<std::byte> scratch(static_cast<size_t>(8 * kMiB));
    ReadTensors all;
    for (const auto& [name, location] : header.map.tensors) {
        const int64_t count = elementCount(location.shape).value_or(0);
        ReadTensor& tensor = all[name];
        tensor = {.shape = location.shape,
                  .storage = location.encoded ? location.encoded->encoding
                                              : std::string(nameOf(location.type)),
                  .numbers = std::vector<float>(isFloating(location.type) ? count : 0)};
        if (!tensor.numbers.empty()) {
            const memory::Storage storage{.key = name,
                                          .fileOffset = location.offset,
                                          .fileType = location.type,
                                          .elementCount = count,
                                          .encoded = location.encoded};
            residency::StorageElements(file, "test", storage, scratch)
                .read(
                    reinterpret_cast<std::byte*>(tensor.numbers.data()), DType::F32, 0, count, {});
        }
    }
    return all;
}

models::Conversion converted(const QString& checkpoint,
                             const std::string& storage,
                             const QString& out,
                             std::optional<Bytes> free) {
    const QString name = QFileInfo(checkpoint).fileName();
    return models::convertWeights(
        {checkpoint.toStdString(), name.toStdString()},
        storage,
        out.toStdString(),
        {},
        free ? [free](const std::string&) { return free; } : files::FreeBytes(files::freeBytesAt));
}

}  // namespace lowtide::testing
