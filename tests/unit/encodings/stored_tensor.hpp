#pragma once

#include "plugin/encodings/encodings.hpp"
#include "tests/fixtures/python_golden.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::testing {

/// A tensor that the library of its encoding has stored (make_encoding_goldens.py).
struct StoredCase {
    std::string name;  ///< in the golden
    std::string encoding;
    int64_t blockElements = 1;
    Bytes blockBytes = 1;
    int64_t columns = 512;
    size_t companions = 0;
};

/// At least one of every encoding.
[[nodiscard]] const std::vector<StoredCase>& storedCases();
[[nodiscard]] const StoredCase& storedCase(const std::string& name);
[[nodiscard]] const PythonGolden& encodingGolden();

/// A tensor of a case with the bytes of its file.
class StoredTensor {
public:
    explicit StoredTensor(const StoredCase& stored);

    [[nodiscard]] int64_t count() const {
        return static_cast<int64_t>(blocks.size()) / tensor.blockBytes * tensor.blockElements;
    }

    /// What a reader would give for `part`, and nothing beyond.
    struct Cut {
        std::vector<std::byte> blocks;
        std::vector<std::vector<std::byte>> companions;
    };

    [[nodiscard]] Cut cut(encodings::Part part) const;

    /// work(that).
    template <typename Work>
    auto with(encodings::Part part, const Work& work) const {
        const Cut own = cut(part);
        const std::vector<std::span<const std::byte>> needed(own.companions.begin(),
                                                             own.companions.end());
        return work(encodings::StoredPart{
            .tensor = &tensor, .part = part, .blocks = own.blocks.data(), .companions = needed});
    }

    [[nodiscard]] std::vector<float> decoded(encodings::Part part) const;

    [[nodiscard]] std::vector<float> decoded() const { return decoded({0, count()}); }

    [[nodiscard]] std::optional<std::string> fault(encodings::Part part) const;

    [[nodiscard]] std::optional<std::string> fault() const { return fault({0, count()}); }

    memory::Encoded tensor;
    std::vector<std::byte> blocks;
    std::vector<std::vector<std::byte>> companions;
};

}  // namespace lowtide::testing
