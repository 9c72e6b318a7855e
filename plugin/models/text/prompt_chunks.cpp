#include "plugin/models/text/prompt_chunks.hpp"

#include <cstddef>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kNowhere = SIZE_MAX;

class Cutter {
public:
    explicit Cutter(const ChunkRules& rules)
        : rules_(rules), room_(static_cast<size_t>(rules.length) - 2) {}

    std::vector<PromptChunk> cut(const std::vector<WeightedTokens>& parts) {
        for (size_t part = 0; part < parts.size(); ++part) {
            if (parts[part].isBreak) {
                finishChunk();
                continue;
            }
            for (const TokenId id : parts[part].ids) {
                add({.id = id,
                     .weight = static_cast<float>(parts[part].weight),
                     .part = static_cast<int64_t>(part)});
            }
        }
        if (!open_.empty() || chunks_.empty()) {
            finishChunk();
        }
        return std::move(chunks_);
    }

private:
    struct Token {
        TokenId id;
        float weight;
        int64_t part;
    };

    void add(const Token& token) {
        const bool isFull = open_.size() == room_;
        if (token.id == rules_.comma) {
            lastComma_ = open_.size();
        } else if (isFull && lastComma_ != kNowhere &&
                   static_cast<int64_t>(open_.size() - lastComma_) <= rules_.commaReach) {
            breakBehindComma();
        }
        if (open_.size() == room_) {
            finishChunk();
        }
        open_.push_back(token);
    }

    /// What follows the last comma goes to the next chunk.
    void breakBehindComma() {
        const auto from = open_.begin() + static_cast<ptrdiff_t>(lastComma_) + 1;
        std::vector<Token> moved(from, open_.end());
        open_.erase(from, open_.end());
        finishChunk();
        open_ = std::move(moved);
    }

    void finishChunk() {
        PromptChunk chunk;
        const auto put = [&](int64_t id, int64_t mask, float weight, int64_t part) {
            chunk.ids.push_back(id);
            chunk.mask.push_back(mask);
            chunk.weights.push_back(weight);
            chunk.parts.push_back(part);
        };
        put(rules_.begin, 1, 1, PromptChunk::kNoPart);
        for (const Token& token : open_) {
            put(token.id, 1, token.weight, token.part);
        }
        put(rules_.end, 1, 1, PromptChunk::kNoPart);
        while (static_cast<int64_t>(chunk.ids.size()) < rules_.length) {
            put(rules_.padding, 0, 1, PromptChunk::kNoPart);
        }
        chunks_.push_back(std::move(chunk));
        open_.clear();
        lastComma_ = kNowhere;
    }

    const ChunkRules& rules_;
    const size_t room_;
    std::vector<Token> open_;
    size_t lastComma_ = kNowhere;
    std::vector<PromptChunk> chunks_;
};

}  // namespace

std::vector<PromptChunk> cutIntoChunks(const std::vector<WeightedTokens>& parts,
                                       const ChunkRules& rules) {
    return Cutter(rules).cut(parts);
}

}  // namespace lowtide::models
