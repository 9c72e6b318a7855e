#pragma once

#include "plugin/encodings/encodings.hpp"
#include "tests/fixtures/python_golden.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace lowtide::testing {

/// A tensor of every encoding in the golden of tests/unit/encodings.
struct StoredCase {
    std::string name;  ///< in the golden
    std::string encoding;
    int64_t blockElements = 1;
    Bytes blockBytes = 1;
    int64_t columns = 512;
    size_t companions = 0;
};

inline const std::vector<StoredCase>& storedCases() {
    static const std::vector<StoredCase> kCases = {
        {"q4_0", "q4_0", 32, 18, 1024},
        {"q4_1", "q4_1", 32, 20, 1024},
        {"q5_0", "q5_0", 32, 22, 1024},
        {"q5_1", "q5_1", 32, 24, 1024},
        {"q8_0", "q8_0", 32, 34, 1024},
        {"q2_k", "q2_k", 256, 84, 1024},
        {"q3_k", "q3_k", 256, 110, 1024},
        {"q4_k", "q4_k", 256, 144, 1024},
        {"q5_k", "q5_k", 256, 176, 1024},
        {"q6_k", "q6_k", 256, 210, 1024},
        {"f8_e4m3", "f8_e4m3", 1, 1, 512, 1},
        {"f8_e4m3_rows", "f8_e4m3", 1, 1, 512, 1},
        {"f8_e5m2", "f8_e5m2", 1, 1, 512, 1},
        {"f8_e5m2_rows", "f8_e5m2", 1, 1, 512, 1},
        {"int8", "int8", 1, 1, 512, 1},
        {"int8_rows", "int8", 1, 1, 512, 1},
        {"int8_convrot_16", "int8_convrot", 16, 16, 512, 1},
        {"int8_convrot_64", "int8_convrot", 64, 64, 512, 1},
        {"int8_convrot_256", "int8_convrot", 256, 256, 512, 1},
        {"mxfp8", "mxfp8", 32, 32, 512, 1},
        {"nvfp4", "nvfp4", 16, 8, 512, 2},
        {"bnb_int8", "bnb_int8", 1, 1, 512, 1},
        {"bnb_nf4", "bnb_nf4", 64, 32, 512, 1},
        {"bnb_nf4_nested", "bnb_nf4", 64, 32, 512, 3},
    };
    return kCases;
}

inline const PythonGolden& encodingGolden() {
    static const PythonGolden kGolden("tests/unit/encodings/make_encoding_goldens.py");
    return kGolden;
}

inline std::vector<std::byte> bytesOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    std::vector<std::byte> bytes(static_cast<size_t>(whole.nbytes()));
    std::memcpy(bytes.data(), whole.const_data_ptr(), bytes.size());
    return bytes;
}

inline std::vector<float> numbersOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    const float* first = whole.const_data_ptr<float>();
    return {first, first + whole.numel()};
}

/// A tensor of a case with the bytes of its file.
class StoredTensor {
public:
    explicit StoredTensor(const StoredCase& test)
        : blocks(bytesOf(encodingGolden().tensor(test.name + ".blocks"))) {
        tensor = {.encoding = test.encoding,
                  .blockElements = test.blockElements,
                  .blockBytes = test.blockBytes,
                  .columns = test.columns};
        for (size_t i = 0; i < test.companions; ++i) {
            const at::Tensor values = encodingGolden().tensor(test.name + "." + std::to_string(i));
            tensor.companions.push_back(
                {.key = std::to_string(i),
                 .type = values.element_size() == 1 ? DType::U8 : DType::F32,
                 .elementCount = values.numel()});
            companions.push_back(bytesOf(values));
        }
        if (encodingGolden().has(test.name + ".offset")) {
            tensor.addedScale = encodingGolden().tensor(test.name + ".offset").item<float>();
        }
    }

    [[nodiscard]] int64_t count() const {
        return static_cast<int64_t>(blocks.size()) / tensor.blockBytes * tensor.blockElements;
    }

    /// Calls work(stored) with what a reader would give it for `part`, and nothing beyond.
    template <typename Work>
    auto with(encodings::Part part, const Work& work) const {
        std::vector<std::vector<std::byte>> copies;
        std::vector<std::span<const std::byte>> needed;
        for (size_t i = 0; i < companions.size(); ++i) {
            const encodings::ByteRange range = encodings::companionRange(tensor, i, part);
            const auto first = companions[i].begin() + range.begin;
            copies.emplace_back(first, first + range.count);
        }
        needed.assign(copies.begin(), copies.end());
        const Bytes begin = part.first / tensor.blockElements * tensor.blockBytes;
        const Bytes bytes = part.count / tensor.blockElements * tensor.blockBytes;
        const std::vector<std::byte> own(blocks.begin() + begin, blocks.begin() + begin + bytes);
        return work(encodings::StoredPart{
            .tensor = &tensor, .part = part, .blocks = own.data(), .companions = needed});
    }

    [[nodiscard]] std::vector<float> decoded(encodings::Part part) const {
        return with(part, [&](const encodings::StoredPart& stored) {
            std::vector<float> numbers(static_cast<size_t>(part.count));
            encodings::encodingOf(tensor).decode(stored, numbers.data());
            return numbers;
        });
    }

    [[nodiscard]] std::vector<float> decoded() const { return decoded({0, count()}); }

    [[nodiscard]] std::optional<std::string> fault() const {
        return with(encodings::Part{0, count()}, [&](const encodings::StoredPart& stored) {
            return encodings::encodingOf(tensor).fault(stored);
        });
    }

    memory::Encoded tensor;
    std::vector<std::byte> blocks;
    std::vector<std::vector<std::byte>> companions;
};

inline const StoredCase& storedCase(const std::string& name) {
    const auto& all = storedCases();
    return *std::find_if(
        all.begin(), all.end(), [&](const StoredCase& test) { return test.name == name; });
}

}  // namespace lowtide::testing
