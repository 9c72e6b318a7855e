#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/history/run_store.hpp"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A text of several lines that runs had, in one parameter of a kind of node.
struct PastPrompt {
    std::string nodeType;
    std::string param;
    QString text;
    int64_t asked = 0;  ///< the last time; milliseconds since 1970
    int64_t runs = 0;
};

/// The newest first, each once.
using PastPrompts = std::vector<PastPrompt>;

/// Those of graphs, the newest first; what cannot be read is passed over. Any thread.
[[nodiscard]] PastPrompts pastPrompts(const std::vector<RunStore::KeptGraph>& graphs,
                                      const graph::Catalog& catalog);

/// A word or phrase that a user wrote, and how often.
struct OwnPhrase {
    QString text;
    int64_t uses = 0;
};

/// Words of three letters or more, and what stands between two commas, of at most 60 letters; the
/// most used first, then the newest. Any thread.
[[nodiscard]] std::vector<OwnPhrase> phrasesOf(const PastPrompts& prompts);

}  // namespace lowtide::ui
