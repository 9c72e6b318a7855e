#include "plugin/base/text.hpp"
#include "plugin/checkpoints/embeddings.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <charconv>

namespace lowtide::fuzz::embedding_target {

namespace {

using namespace models;

constexpr std::pair<char, DType> kTypes[] = {
    {'f', DType::F32}, {'h', DType::F16}, {'b', DType::BF16}, {'d', DType::F64}, {'i', DType::I64}};

/// "emb_params f2,768" is a tensor; "~" before its type: with strides of its own. Readers of files
/// give no tensor whose bytes cannot be counted.
void addTensor(const std::string& line, WeightFileHeader& header) {
    const size_t space = std::min(line.find(' '), line.size());
    TensorLocation location;
    std::string_view text = std::string_view(line).substr(std::min(space + 1, line.size()));
    if (text.starts_with('~')) {
        location.isRowMajor = false;
        text.remove_prefix(1);
    }
    for (const auto& [letter, type] : kTypes) {
        if (text.starts_with(letter)) {
            location.type = type;
        }
    }
    if (!text.empty()) {
        text.remove_prefix(1);
    }
    for (const std::string& part : split(text, ',')) {
        int64_t size = 0;
        std::from_chars(part.data(), part.data() + part.size(), size);
        location.shape.push_back(std::max<int64_t>(size, 0));
    }
    if (text.empty()) {
        location.shape.clear();
    }
    if (elementCount(location.shape).value_or(1LL << 60) < (1LL << 50)) {
        header.map.tensors.emplace(line.substr(0, space), location);
    }
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    WeightFileHeader header{.map = {.what = "\"f\"", .files = {{.path = "f"}}, .tensors = {}},
                            .metadata = {}};
    for (const std::string& line : split(text, '\n')) {
        if (!line.empty() && isValidUtf8(line)) {
            addTensor(line, header);
        }
    }
    EmbeddingTensors sets;
    if (!takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
               [&] { sets = embeddingTensors(header); })) {
        return false;
    }
    require(
        sets.size() == 1 || (sets.size() == 2 && sets.contains(kClipL) && sets.contains(kClipG)),
        "an embedding is for one encoder or for two");
    for (const auto& [set, name] : sets) {
        const auto tensor = header.map.tensors.find(name);
        require(tensor != header.map.tensors.end(), "a set is a tensor of the file");
        require(elementCount(tensor->second.shape).value_or(0) > 0, "a set has vectors");
        require(tensor->second.isRowMajor && tensor->second.shape.size() <= 2,
                "vectors are the rows of a matrix");
    }
    return true;
}

[[maybe_unused]] const bool isEntered = enterTarget("embedding", runInput);

}  // namespace lowtide::fuzz::embedding_target
