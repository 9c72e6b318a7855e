#include "ui/canvas/search_match.hpp"

#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"

#include <QStringList>

#include <algorithm>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr int kLetter = 10;
constexpr int kRun = 8;
constexpr int kWordStart = 12;
constexpr int kTextStart = 12;
constexpr int kWhole = 40;
constexpr int kLongestDelay = 12;  ///< letters before the first that fits count less up to here
constexpr int kRecent = 6;

bool startsWord(const QString& text, int at) {
    return at == 0 || !text[at - 1].isLetterOrNumber() ||
           (text[at].isUpper() && text[at - 1].isLower());
}

/// Letters from the left; `text` from `start` on.
int scoreFrom(const QString& pattern, const QString& text, int start) {
    int score = 0;
    int previous = -2;
    int at = start;
    for (const QChar letter : pattern) {
        while (at < text.size() && text[at].toLower() != letter.toLower()) {
            ++at;
        }
        if (at == text.size()) {
            return 0;
        }
        score +=
            kLetter + (at == previous + 1 ? kRun : 0) + (startsWord(text, at) ? kWordStart : 0);
        previous = at++;
    }
    return std::max(1, score + (start == 0 ? kTextStart : 0) - std::min(start, kLongestDelay) / 2);
}

int wordScore(const NodeDesc& desc, const QString& word) {
    const auto of = [&word](const std::string& text, double weight) {
        return static_cast<int>(fuzzyScore(word, QString::fromStdString(text)) * weight);
    };
    int best = std::max({of(desc.label, 1.0),
                         of(englishLabel(desc), 1.0),
                         of(desc.id, 0.8),
                         of(desc.category, 0.6),
                         of(englishCategory(desc), 0.6)});
    for (const std::string& alias : desc.aliases) {
        best = std::max(best, of(alias, 0.8));
    }
    // A sentence holds nearly every row of letters somewhere: there only whole words count.
    if (word.size() > 2 &&
        QString::fromStdString(desc.tooltip).contains(word, Qt::CaseInsensitive)) {
        best = std::max(best, kLetter + static_cast<int>(word.size()));
    }
    return best;
}

int nodeScore(const NodeDesc& desc, const QStringList& words) {
    int sum = 0;
    for (const QString& word : words) {
        const int score = wordScore(desc, word);
        if (score == 0) {
            return 0;
        }
        sum += score;
    }
    return sum;
}

int recentRank(const std::vector<std::string>& recent, const std::string& id) {
    const auto found = std::find(recent.begin(), recent.end(), id);
    return static_cast<int>(found - recent.begin());
}

}  // namespace

int fuzzyScore(const QString& pattern, const QString& text) {
    if (pattern.isEmpty()) {
        return 1;
    }
    int best = 0;
    for (int start = 0; start + pattern.size() <= text.size(); ++start) {
        if (text[start].toLower() == pattern[0].toLower()) {
            best = std::max(best, scoreFrom(pattern, text, start));
        }
    }
    if (best == 0) {
        return 0;
    }
    const int whole = text.compare(pattern, Qt::CaseInsensitive) == 0 ? kWhole : 0;
    return std::max(1, best + whole - static_cast<int>(text.size() - pattern.size()) / 3);
}

std::string bestPort(const NodeDesc& desc, const PortWanted& wanted) {
    const auto rank = [&wanted](const PortDesc& port) {
        return std::tuple(port.type == wanted.type ? 0 : 1, port.optional ? 1 : 0);
    };
    const PortDesc* best = nullptr;
    for (const PortDesc& port : wanted.asInput ? desc.inputs : desc.outputs) {
        const bool fits =
            wanted.asInput ? typesFit(wanted.type, port.type) : typesFit(port.type, wanted.type);
        if (fits && (best == nullptr || rank(port) < rank(*best))) {
            best = &port;
        }
    }
    return best == nullptr ? std::string() : best->id;
}

std::vector<SearchHit> searchNodes(const graph::Catalog& catalog,
                                   const QString& pattern,
                                   const PortWanted& wanted,
                                   const std::vector<std::string>& recent) {
    const QStringList words = pattern.split(u' ', Qt::SkipEmptyParts);
    std::vector<SearchHit> hits;
    for (const NodeDesc& desc : catalog.nodes()) {
        SearchHit hit{.desc = &desc};
        if (!wanted.type.empty()) {
            hit.port = bestPort(desc, wanted);
            if (hit.port.empty()) {
                continue;
            }
        }
        hit.score = words.isEmpty() ? 1 : nodeScore(desc, words);
        if (hit.score > 0) {
            hit.score +=
                recentRank(recent, desc.id) < static_cast<int>(recent.size()) ? kRecent : 0;
            hits.push_back(std::move(hit));
        }
    }
    std::stable_sort(hits.begin(), hits.end(), [&](const SearchHit& a, const SearchHit& b) {
        const auto key = [&](const SearchHit& hit) {
            return std::tuple(words.isEmpty() ? 0 : -hit.score,
                              recentRank(recent, hit.desc->id),
                              std::string_view(hit.desc->category),
                              std::string_view(hit.desc->label));
        };
        return key(a) < key(b);
    });
    return hits;
}

}  // namespace lowtide::ui
