#include "tests/unit/encodings/stored_tensor.hpp"

#include "plugin/base/message.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace lowtide::testing {

using encodings::ByteRange;
using encodings::encodingOf;
using encodings::Part;

namespace {

const std::vector<StoredCase> kStoredCases = {
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

std::vector<std::byte> bytesOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    std::vector<std::byte> bytes(static_cast<size_t>(whole.nbytes()));
    std::memcpy(bytes.data(), whole.const_data_ptr(), bytes.size());
    return bytes;
}

std::vector<std::byte> taken(const std::vector<std::byte>& bytes, ByteRange range) {
    const auto first = bytes.begin() + range.begin;
    return {first, first + range.count};
}

}  // namespace

const std::vector<StoredCase>& storedCases() {
    return kStoredCases;
}

const StoredCase& storedCase(const std::string& name) {
    return *std::find_if(kStoredCases.begin(), kStoredCases.end(), [&](const StoredCase& each) {
        return each.name == name;
    });
}

const PythonGolden& encodingGolden() {
    static const PythonGolden kGolden("tests/unit/encodings/make_encoding_goldens.py");
    return kGolden;
}

StoredTensor::StoredTensor(const StoredCase& stored)
    : blocks(bytesOf(encodingGolden().tensor(stored.name + ".blocks"))) {
    const PythonGolden& golden = encodingGolden();
    tensor = {.encoding = stored.encoding,
              .blockElements = stored.blockElements,
              .blockBytes = stored.blockBytes,
              .columns = stored.columns};
    for (size_t i = 0; i < stored.companions; ++i) {
        const at::Tensor values = golden.tensor(stored.name + "." + std::to_string(i));
        tensor.companions.push_back({.key = std::to_string(i),
                                     .type = values.element_size() == 1 ? DType::U8 : DType::F32,
                                     .elementCount = values.numel()});
        companions.push_back(bytesOf(values));
    }
    if (golden.has(stored.name + ".offset")) {
        tensor.addedScale = golden.tensor(stored.name + ".offset").item<float>();
    }
}

StoredTensor::Cut StoredTensor::cut(Part part) const {
    const int64_t size = tensor.blockElements;
    Cut cut = {.blocks = taken(
                   blocks,
                   {part.first / size * tensor.blockBytes, part.count / size * tensor.blockBytes})};
    for (size_t i = 0; i < companions.size(); ++i) {
        cut.companions.push_back(taken(companions[i], companionRange(tensor, i, part)));
    }
    return cut;
}

std::vector<float> StoredTensor::decoded(Part part) const {
    return with(part, [&](const encodings::StoredPart& stored) {
        std::vector<float> numbers(static_cast<size_t>(part.count));
        encodingOf(tensor).decode(stored, numbers.data());
        return numbers;
    });
}

std::optional<std::string> StoredTensor::fault(Part part) const {
    const auto fault =
        with(part, [&](const auto& stored) { return encodingOf(tensor).fault(stored); });
    return fault ? std::optional(fault->str()) : std::nullopt;
}

}  // namespace lowtide::testing
