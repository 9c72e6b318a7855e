#pragma once

#include "ui/history/run_record.hpp"
#include "ui/queue/queue_store.hpp"

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// The runs of a user and their images, in one file: a QueueStore in Qt's types, with images and
/// sheets. What a call wrote is kept when it returns, or it throws and nothing of it is. Times come
/// from the caller. One thread at a time; errors are those of QueueStore.
class RunStore {
public:
    /// `path` of the file, made where it is missing unless it is only read.
    explicit RunStore(const QString& path, DatabaseUse use = DatabaseUse::Write);

    /// Whether the whole file can be read.
    [[nodiscard]] bool isValid() { return queue_.isValid(); }

    /// How much was read of a damaged file.
    struct Salvaged {
        int64_t runs = 0;
        int64_t images = 0;
    };

    /// Adds what can still be read of a damaged file of runs, row by row, around the pages that
    /// cannot. A run whose graph is lost has an empty one, an image whose run is lost gets one in
    /// its place; thumbnails are left to be made again. For a new, empty store.
    Salvaged salvage(const QString& damaged);

    /// Forgets runs that have ended, of which no image is kept and that are of no sheet, but for
    /// the newest `most`; a file of which a quarter is unused becomes smaller.
    void prune(int64_t most) { queue_.prune(most); }

    /// Behind all that wait, in this order; all or none.
    void add(const std::vector<RunRecord>& runs);
    /// Waiting runs in this order, before all others.
    void setOrder(const std::vector<RunKey>& waiting);

    void begin(const RunKey& key, int64_t now) { queue_.begin(key.toStdString(), now); }

    /// Takes of each run its key, state and what its end reports; all else is kept.
    void end(const std::vector<RunRecord>& runs);
    /// Those of them that wait or run are the caller's for ten seconds, to be run again and then to
    /// end(): another program that asks for the same gets none of them. Should this one be killed
    /// meanwhile, they are still open.
    [[nodiscard]] std::vector<RunKey> claim(const std::vector<RunKey>& keys, int64_t now);
    /// Its images so far. A file that another run wrote before is this one's if it is written
    /// now, and no longer starred.
    void addImages(const RunKey& key, const QStringList& paths, ImageClaim claim, int64_t now);
    /// The runs with their images' records; files are kept.
    void forget(const std::vector<RunKey>& keys);

    /// nullopt: there is none.
    [[nodiscard]] std::optional<RunRecord> run(const RunKey& key);

    [[nodiscard]] int64_t runCount() { return queue_.count(); }

    using KeptGraph = QueueStore::KeptGraph;

    /// The `most` that were run last, the newest first, each once.
    [[nodiscard]] std::vector<KeptGraph> recentGraphs(int64_t most) {
        return queue_.recentGraphs(most);
    }

    /// The text of each graph that a run has, one at a time; empty: it cannot be read any more.
    void visitGraphs(const std::function<void(const std::string& text)>& visit) {
        queue_.visitGraphs(visit);
    }

    /// Those that wait or run, in order, whose key begins with none of `living`.
    [[nodiscard]] std::vector<RunRecord> leftOpen(const QStringList& living);

    /// The newest first.
    [[nodiscard]] std::vector<ImageRecord> images(const ImageFilter& filter);
    /// Encoded; empty: there is none yet.
    [[nodiscard]] QByteArray thumbnail(int64_t image);
    /// Images of which no thumbnail was set, the newest first, `most` of them.
    [[nodiscard]] std::vector<ImageRecord> withoutThumbnail(int64_t most);
    /// Empty bytes: none can be made of it.
    void setThumbnail(int64_t image, const QSize& size, const QByteArray& encoded);
    void setStarred(const std::vector<int64_t>& images, bool isStarred);
    /// The file was given another name.
    void setPath(int64_t image, const QString& path);
    void forgetImages(const std::vector<int64_t>& images);
    /// As they were before that, without thumbnails. Not those whose run is forgotten, nor those
    /// whose path another one has by now.
    void restoreImages(const std::vector<ImageRecord>& images);

    /// Adds `sheet` as a run that has ended, with the graph before anything was varied; `cells` are
    /// runs that were added, row by row.
    void addSheet(const RunRecord& sheet,
                  const std::string& description,
                  const std::vector<RunKey>& cells);
    /// The run has ended with these files; the sheet that it is a cell of, nullopt: of none.
    std::optional<SheetRecord> endCell(const RunKey& run, const QStringList& files);
    /// The second of each two in every sheet of which the first is a cell.
    void replaceRuns(const std::vector<std::pair<RunKey, RunKey>>& replacements);
    void setSheetImage(const RunKey& key, const QString& path);
    /// That the run is, or is a cell of; an empty key: the newest sheet. nullopt: there is none.
    [[nodiscard]] std::optional<SheetRecord> sheet(const RunKey& of);
    /// Each sheet that has some of the runs as cells.
    [[nodiscard]] std::vector<SheetRecord> sheetsOf(const std::vector<RunKey>& runs);
    /// Sheets of which no image was written.
    [[nodiscard]] std::vector<SheetRecord> unwrittenSheets();
    /// What ImageFilter can name, in alphabetical order.
    [[nodiscard]] QStringList models();
    [[nodiscard]] QStringList graphs();

private:
    /// A run of which nothing is known but that it ended.
    void addLost(const RunKey& key, const QString& title, int64_t now);
    [[nodiscard]] QStringList column(std::string_view statement);
    /// Empty: none.
    [[nodiscard]] RunKey sheetKeyOf(const RunKey& run);
    [[nodiscard]] std::optional<SheetRecord> sheetWith(const RunKey& key);
    [[nodiscard]] std::vector<SheetRecord> sheetsWith(const std::set<RunKey>& keys);
    void moveSheetFile(const QString& before, const QString& now);

    QueueStore queue_;
    Database& database_;  ///< the same file
};

}  // namespace lowtide::ui
