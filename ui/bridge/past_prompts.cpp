#include "ui/bridge/past_prompts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/document.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr qsizetype kLongestPhrase = 60;
constexpr qsizetype kShortestWord = 3;
constexpr size_t kMostPhrases = 20000;
/// Of one prompt: more is no prose of a user.
constexpr qsizetype kMostLetters = 20000;

using Index = std::tuple<std::string, std::string, QString>;

class PhraseCounter {
public:
    void add(const QString& prompt, int64_t runs) {
        static const QRegularExpression kEnds(QStringLiteral("[,.;:|\\n\\r(){}\\[\\]<>\"]+"));
        const QStringList pieces = prompt.left(kMostLetters).split(kEnds, Qt::SkipEmptyParts);
        for (const QString& piece : pieces) {
            const QString phrase = piece.simplified();
            const QStringList words = phrase.split(QLatin1Char(' '), Qt::SkipEmptyParts);
            if (words.size() > 1 && phrase.size() <= kLongestPhrase) {
                count(phrase, runs);
            }
            for (const QString& word : words) {
                if (isWord(word)) {
                    count(word, runs);
                }
            }
        }
    }

    std::vector<OwnPhrase> sorted() {
        std::stable_sort(phrases_.begin(), phrases_.end(), [](const auto& a, const auto& b) {
            return a.uses > b.uses;
        });
        phrases_.resize(std::min(phrases_.size(), kMostPhrases));
        return std::move(phrases_);
    }

private:
    static bool isWord(const QString& word) {
        return word.size() >= kShortestWord && word.size() <= kLongestPhrase &&
               word.front().isLetter() && word.back().isLetterOrNumber();
    }

    void count(const QString& text, int64_t runs) {
        const QString key = text.toCaseFolded();
        const auto known = positions_.constFind(key);
        if (known == positions_.constEnd()) {
            positions_.insert(key, phrases_.size());
            phrases_.push_back({.text = text, .uses = runs});
        } else {
            phrases_[*known].uses += runs;
        }
    }

    std::vector<OwnPhrase> phrases_;
    QHash<QString, size_t> positions_;
};

}  // namespace

PastPrompts pastPrompts(const std::vector<RunStore::KeptGraph>& graphs,
                        const graph::Catalog& catalog) {
    PastPrompts prompts;
    std::map<Index, size_t> fields;
    for (const RunStore::KeptGraph& kept : graphs) {
        graph::Document document;
        try {
            document = graph::parseDocument(kept.text);
        } catch (const Error&) {
            continue;  // of another version: its images still show
        }
        for (const PromptField& field : promptFields(document, catalog)) {
            const std::string& type = document.nodes.at(field.node).type;
            const QString text = QString::fromStdString(textAt(document, field));
            if (text.trimmed().isEmpty()) {
                continue;
            }
            const auto [known, isNew] =
                fields.emplace(Index{type, field.param, text}, prompts.size());
            if (isNew) {
                prompts.push_back({.nodeType = type,
                                   .param = field.param,
                                   .text = text,
                                   .asked = kept.asked,
                                   .runs = kept.runs});
            } else {
                prompts[known->second].runs += kept.runs;
            }
        }
    }
    return prompts;
}

std::vector<OwnPhrase> phrasesOf(const PastPrompts& prompts) {
    PhraseCounter counter;
    for (const PastPrompt& prompt : prompts) {
        counter.add(prompt.text, prompt.runs);
    }
    return counter.sorted();
}

}  // namespace lowtide::ui
