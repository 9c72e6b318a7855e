#include "plugin/text/named_embeddings.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

template <class Value>
void addOnce(std::vector<Value>& values, const std::vector<Value>& others) {
    for (const Value& other : others) {
        if (std::find(values.begin(), values.end(), other) == values.end()) {
            values.push_back(other);
        }
    }
}

}  // namespace

void EmbeddingsNamed::add(const EmbeddingsNamed& others) {
    addOnce(found, others.found);
    addOnce(missing, others.missing);
}

std::vector<std::string> EmbeddingsNamed::hashes() const {
    constexpr size_t kShownDigits = 12;
    std::vector<std::string> texts;
    for (const NamedEmbedding& embedding : found) {
        std::string name = embedding.name;
        std::erase_if(name, [](char c) { return c == ':' || c == ','; });
        texts.push_back(name + ": " + embedding.digest.substr(0, kShownDigits));
    }
    return texts;
}

std::vector<std::string> EmbeddingsNamed::digests() const {
    std::vector<std::string> texts;
    for (const NamedEmbedding& embedding : found) {
        texts.push_back(embedding.digest);
    }
    return texts;
}

}  // namespace lowtide::models
