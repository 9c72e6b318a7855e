#include "plugin/text/prompt_chunks.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lowtide::models {

namespace {

constexpr size_t kNowhere = SIZE_MAX;

class Cutter {
public:
    explicit Cutter(const ChunkRules& rules)
        : rules_(rules), capacity_(static_cast<size_t>(rules.length) - 2) {}

    std::vector<PromptChunk> cut(const std::vector<WeightedTokens>& parts) {
        for (size_t part = 0; part < parts.size(); ++part) {
            if (parts[part].isBreak) {
                finishChunk();
                continue;
            }
            const auto number = static_cast<int64_t>(part);
            if (rules_.longPart > 0) {
                addPart(parts[part], number);
                continue;
            }
            for (const PromptToken& token : parts[part].tokens) {
                add({.token = &token,
                     .weight = static_cast<float>(parts[part].weight),
                     .part = number});
            }
        }
        if (!open_.empty() || chunks_.empty()) {
            finishChunk();
        }
        return std::move(chunks_);
    }

    CutChunk cutToOne(const std::vector<PromptToken>& tokens) {
        int64_t left = 0;
        for (const PromptToken& token : tokens) {
            for (int64_t i = 0; i < token.positions(); ++i) {
                if (open_.size() == capacity_) {
                    ++left;
                } else {
                    open_.push_back({.token = &token, .index = i});
                }
            }
        }
        finishChunk();
        return {.chunk = std::move(chunks_.front()), .cutTokens = left};
    }

private:
    /// A position in the chunk.
    struct Position {
        const PromptToken* token = nullptr;
        float weight = 1;
        int64_t part = PromptChunk::kNoPart;
        int64_t index = 0;  ///< among the vectors of the token
    };

    void add(Position position) {
        const bool isFull = open_.size() == capacity_;
        if (!position.token->vectors && position.token->id == rules_.comma) {
            lastComma_ = open_.size();
        } else if (isFull && lastComma_ != kNowhere &&
                   static_cast<int64_t>(open_.size() - lastComma_) <= rules_.commaReach) {
            breakBehindComma();
        }
        const auto count = static_cast<size_t>(position.token->positions());
        LOWTIDE_ASSERT(count <= capacity_);
        if (open_.size() + count > capacity_) {
            finishChunk();
        }
        for (; position.index < static_cast<int64_t>(count); ++position.index) {
            open_.push_back(position);
        }
    }

    void addPart(const WeightedTokens& part, int64_t number) {
        std::vector<Position> positions;
        for (const PromptToken& token : part.tokens) {
            for (int64_t i = 0; i < token.positions(); ++i) {
                positions.push_back({.token = &token,
                                     .weight = static_cast<float>(part.weight),
                                     .part = number,
                                     .index = i});
            }
        }
        const bool isKept = static_cast<int64_t>(positions.size()) < rules_.longPart;
        if (isKept && open_.size() + positions.size() > capacity_ && !open_.empty()) {
            finishChunk();
        }
        for (const Position& position : positions) {
            if (open_.size() == capacity_) {
                finishChunk();
            }
            open_.push_back(position);
        }
    }

    /// What follows the last comma goes to the next chunk.
    void breakBehindComma() {
        const auto from = open_.begin() + static_cast<ptrdiff_t>(lastComma_) + 1;
        std::vector<Position> moved(from, open_.end());
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
        for (const Position& position : open_) {
            const PromptToken& token = *position.token;
            if (token.vectors && (position.index == 0 || &position == &open_.front())) {
                chunk.overrides.push_back({.position = static_cast<int64_t>(chunk.ids.size()),
                                           .count = 0,
                                           .vectors = token.vectors,
                                           .first = position.index});
            }
            if (token.vectors) {
                ++chunk.overrides.back().count;
            }
            put(token.id + position.index, 1, position.weight, position.part);
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
    const size_t capacity_;
    std::vector<Position> open_;
    size_t lastComma_ = kNowhere;
    std::vector<PromptChunk> chunks_;
};

}  // namespace

std::vector<PromptChunk> cutIntoChunks(const std::vector<WeightedTokens>& parts,
                                       const ChunkRules& rules) {
    return Cutter(rules).cut(parts);
}

CutChunk cutToOneChunk(const std::vector<PromptToken>& tokens, const ChunkRules& rules) {
    return Cutter(rules).cutToOne(tokens);
}

}  // namespace lowtide::models
