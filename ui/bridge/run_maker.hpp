#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/history/run_record.hpp"

#include <QObject>
#include <QTimer>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace lowtide::ui {

/// What the runs of a graph are found by; `name` is the document's.
[[nodiscard]] SearchTerms runWordsOf(const graph::Document& document,
                                     const graph::Catalog& catalog,
                                     const QString& name);

/// Equal for graphs that differ in seeds, prompts, titles and positions alone, whose runs take the
/// same time; never 0.
[[nodiscard]] size_t workOf(const graph::Document& document, const graph::Catalog& catalog);

/// Gives seeds whose mode is not "keep" their next value: another one, or one more (after the
/// largest comes 0). True when one changed. The seed that is then shown is the one that is used.
bool renewSeeds(graph::Document& document,
                const graph::Catalog& catalog,
                const std::function<uint64_t()>& random);

/// What becomes of the seeds of a run that is one of several.
enum class SeveralSeeds {
    AsNodesSet,  ///< renewSeeds()
    Random,
    Counting  ///< one more each time
};

/// Gives every seed of an active node another value for run number `run` of several, drawn or
/// counted; counted ones begin with what stands there for run 0.
void spreadSeeds(graph::Document& document,
                 const graph::Catalog& catalog,
                 SeveralSeeds how,
                 uint64_t run,
                 const std::function<uint64_t()>& random);

/// The seeds of active nodes, by node and parameter.
[[nodiscard]] Json seedsIn(const graph::Document& document, const graph::Catalog& catalog);

/// Gives the nodes of the same graph these seeds of seedsIn().
void putSeeds(graph::Document& document, const Json& seeds);

/// Makes many runs a few milliseconds at a time, so that the window answers meanwhile. GUI thread
/// only.
class RunMaker : public QObject {
    Q_OBJECT

public:
    /// Run number `number`, from 0; nullopt: none, and none after it.
    using Next = std::function<std::optional<AskedRun>(uint64_t number)>;
    using Take = std::function<void(std::vector<AskedRun> runs)>;

    explicit RunMaker(QObject* parent = nullptr);

    /// `take` gets the first of `count` runs at once, and all others together when they are made.
    void make(uint64_t count, Next next, Take take);
    /// What is still to be made is made and taken now.
    void finish();

private:
    struct Work {
        uint64_t count = 0;
        Next next;
        Take take;
        uint64_t number = 0;
        std::vector<AskedRun> made{};
    };

    static void work(Work& work, int milliseconds);
    void goOn();

    std::deque<Work> waiting_;
    QTimer soon_;
};

}  // namespace lowtide::ui
