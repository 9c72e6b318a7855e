#pragma once

#include "ui/queue/database.hpp"
#include "ui/queue/queue_entry.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// Runs in one file that several programs may have open: those that wait or run, in their order,
/// and what came of the others. What a call wrote is kept when it returns, or it throws and nothing
/// of it is. Times come from the caller. One thread at a time; errors are those of Database,
/// Error{Unsupported} for the file of a newer version and Error{InvalidInput} beyond the bounds.
class QueueStore {
public:
    static constexpr size_t kMostGraphBytes = size_t{64} << 20;
    /// Of any other text of an entry.
    static constexpr size_t kMostTextBytes = size_t{4} << 20;
    /// Runs in a file that wait or run.
    static constexpr int64_t kMostOpen = 20'000;

    /// `path` of the file, made where it is missing unless it is only read. A file of earlier
    /// versions is taken as it is.
    explicit QueueStore(const std::string& path, DatabaseUse use = DatabaseUse::Write);

    /// Whether the whole file can be read.
    [[nodiscard]] bool isValid() { return database_.isValid(); }

    /// Behind all that wait, in this order; all or none.
    void add(std::span<const QueueEntry> entries);
    /// Waiting runs in this order, before all others.
    void setOrder(std::span<const std::string> waiting);
    void begin(const std::string& key, int64_t now);
    /// The first of those that wait, whose key begins with `owner`; it runs from now on. nullopt:
    /// none waits.
    [[nodiscard]] std::optional<QueueEntry> beginNext(const std::string& owner, int64_t now);
    /// Takes of each run its key, state and what its end reports; all else is kept.
    void end(std::span<const QueueEntry> entries);
    /// Those of them that wait or run are the caller's for ten seconds, to be run again and then to
    /// end(): another program that asks for the same gets none of them. Should this one be killed
    /// meanwhile, they are still open.
    [[nodiscard]] std::vector<std::string> claim(std::span<const std::string> keys, int64_t now);

    /// An open run of a program that has ended, and the key of the one that repeats it.
    struct Handover {
        std::string key;
        std::string newKey;
    };

    /// The same graphs wait again, behind all that wait, and the open runs end as cancelled in the
    /// same step: of two programs that ask for one, one gets it. The new keys of those that were
    /// open, and were not claimed by another program just now.
    [[nodiscard]] std::vector<std::string> takeOver(std::span<const Handover> runs, int64_t now);
    /// The runs, and what hangs on them in this file.
    void forget(std::span<const std::string> keys);
    /// Forgets runs that have ended, of which no image is kept and that are of no sheet, but for
    /// the newest `most`; a file of which a quarter is unused becomes smaller.
    void prune(int64_t most);

    /// nullopt: there is none.
    [[nodiscard]] std::optional<QueueEntry> entry(const std::string& key);
    [[nodiscard]] int64_t count();
    /// Those that wait or run, in order, whose key begins with none of `living`: with all programs
    /// that live, what the others left. One that is Running among those was interrupted.
    [[nodiscard]] std::vector<QueueEntry> leftOpen(std::span<const std::string> living);
    /// The `most` that ended last, the newest first.
    [[nodiscard]] std::vector<QueueEntry> lastEnded(int64_t most);

    /// A graph that was run.
    struct KeptGraph {
        std::string text;
        int64_t asked = 0;  ///< the last time
        int64_t runs = 0;
    };

    /// The `most` that were run last, the newest first, each once.
    [[nodiscard]] std::vector<KeptGraph> recentGraphs(int64_t most);
    /// The text of each graph that a run has, one at a time; empty: it cannot be read any more.
    void visitGraphs(const std::function<void(const std::string& text)>& visit);
    /// The row of a graph with this text, added where it is missing, within the caller's
    /// transaction.
    [[nodiscard]] int64_t keptGraph(const std::string& text);

    /// The file, for its other tables: images and sheets.
    [[nodiscard]] Database& database() { return database_; }

private:
    void checkOpen();

    Database database_;
};

}  // namespace lowtide::ui
