#include "ui/bridge/run_library.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/programs/os.hpp"
#include "ui/programs/sessions.hpp"

#include <QBuffer>
#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <deque>
#include <new>

namespace lowtide::ui {

namespace {

constexpr int kKeyBase = 16;
constexpr int kQuality = 85;  ///< of JPEG
constexpr int64_t kAtOnce = 16;
constexpr int64_t kGraphs = 1000;  ///< in which earlier prompts are looked for
constexpr int kTryAgainMilliseconds = 1000;
constexpr int kLastTries = 8;
constexpr unsigned long kLastPause = 250;  ///< milliseconds

constexpr const char* kRepairName = "runs.repair";
constexpr int64_t kRunsWithoutImages = 2000;
constexpr int kRepairTries = 100;
constexpr unsigned long kRepairPause = 100;  ///< milliseconds, as those that follow
constexpr int kMostRepairs =
    3;  ///< of one studio: a disk that is broken makes no file for each try
constexpr int64_t kPause = 900;
constexpr int64_t kBrief = 3000;         ///< another studio's write
constexpr size_t kMostDelayed = 10'000;  ///< writes

/// Beginnings of their runs' keys.
QStringList livingIn(const QString& folder) {
    QStringList beginnings;
    for (const std::string& name : sessionsIn(folder.toStdString()).living) {
        beginnings << QString::fromStdString(name) + QLatin1Char(':');
    }
    return beginnings;
}

/// "runs.sqlite", and "runs.2.sqlite" when that was damaged. SQLite's files must not be given other
/// names while a program has them open (sqlite.org/howtocorrupt.html), so each new one has its own.
QString pathOf(const QString& folder, int number) {
    return QDir(folder).filePath(number == 1 ? QStringLiteral("runs.sqlite")
                                             : QStringLiteral("runs.%1.sqlite").arg(number));
}

int newestNumber(const QString& folder) {
    int newest = 1;
    while (QFile::exists(pathOf(folder, newest + 1))) {
        ++newest;
    }
    return newest;
}

bool isValidFile(const QString& path) {
    try {
        return RunStore(path).isValid();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Corrupt) {
            throw;
        }
        return false;
    }
}

/// Whether it makes sense to try the same once more.
bool canPass(ErrorKind kind) {
    return kind != ErrorKind::Internal && kind != ErrorKind::Unsupported &&
           kind != ErrorKind::InvalidInput;
}

int64_t nowMilliseconds() {
    return QDateTime::currentMSecsSinceEpoch();
}

QImage smallOf(const LoadedImage& loaded) {
    return loaded.levels.empty() ? QImage()
                                 : boundedBy(loaded.levels.back(), RunLibrary::kThumbnailPixels);
}

QByteArray encoded(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    const char* format = image.hasAlphaChannel() ? "PNG" : "JPEG";
    if (image.isNull() || !buffer.open(QIODevice::WriteOnly) ||
        !image.save(&buffer, format, image.hasAlphaChannel() ? -1 : kQuality)) {
        return {};
    }
    return bytes;
}

}  // namespace

/// A write to the file of runs that is asked for.
struct RunWrite {
    std::function<void(RunStore&)> work;
    std::function<void()> done{};     ///< it is written
    std::function<void()> delayed{};  ///< it could not be at the first try; called once
    bool isKept = true;               ///< to be tried again; else it is left out
    int64_t since = 0;                ///< when it was asked for, in milliseconds
};

/// A new file was begun in place of a damaged one, which is kept.
struct RepairedRuns {
    int64_t images = 0;  ///< that could be read of it
    QString damaged;     ///< path
    QString now;         ///< path of the new one
};

/// What one round of the writing thread came to. Its calls are for the thread that asked.
struct RunsWritten {
    std::vector<std::function<void()>> calls;  ///< of writes that are done, or delayed
    QString problem;                           ///< why something is not written
    std::optional<RepairedRuns> repaired;
    bool isComplete = true;  ///< nothing waits to be tried again
};

/// Writes the file of runs in a folder. What cannot be written now, because the disk is full or
/// another program holds the file, is kept in memory, in its order, and tried again. A damaged file
/// is set aside, and what can be read of it goes into a new one. One thread at a time, but for
/// path().
class RunWriter {
public:
    /// `folder` is made when it is first needed. `session` names this studio among all that use
    /// it.
    RunWriter(QString folder, const QString& session);

    void add(RunWrite write) { backlog_.push_back(std::move(write)); }

    /// Opens the file where it is not; it may fail as a write does.
    void open();
    /// Everything that waits, until something cannot be written now. After a failure only a second
    /// later, so that nobody waits for each write, unless `isLast`.
    [[nodiscard]] RunsWritten writeAll(bool isLast = false);
    /// Sets the file aside, unless another studio did so meanwhile and it is sound. Then
    /// writeAll().
    [[nodiscard]] RunsWritten repairAndWrite();

    /// Of the file; from any thread. Another one when that was damaged.
    [[nodiscard]] QString path() const;

private:
    RunStore& opened(RunsWritten& written);
    void repair(RunsWritten& written);
    [[nodiscard]] bool isDamaged();
    void prune();
    void delayTheRest(RunsWritten& written);

    const QString folder_;
    SessionFile session_;
    std::unique_ptr<RunStore> store_;
    std::deque<RunWrite> backlog_;
    QString problem_;        ///< of the last failure
    int64_t notBefore_ = 0;  ///< milliseconds: when it is tried again
    int repairs_ = 0;
    std::atomic<int> number_ = 1;  ///< of the file
};

RunWriter::RunWriter(QString folder, const QString& session)
    : folder_(std::move(folder)), session_(folder_.toStdString(), session.toStdString()) {}

RunStore& RunWriter::opened(RunsWritten& written) {
    if (!store_) {
        QDir().mkpath(folder_);
        const bool isUnclean = sessionsIn(folder_.toStdString()).hasDead;
        session_.make();
        number_ = newestNumber(folder_);
        store_ = std::make_unique<RunStore>(path());
        if (isUnclean && !store_->isValid()) {
            repair(written);
        } else {
            prune();
        }
    }
    return *store_;
}

void RunWriter::open() {
    if (!store_ && backlog_.empty()) {
        add({.work = [](RunStore&) {}, .isKept = false});
    }
}

/// As far as it goes: it is not worth a delay.
void RunWriter::prune() {
    try {
        store_->prune(kRunsWithoutImages);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Corrupt) {
            throw;
        }
    }
}

void RunWriter::repair(RunsWritten& written) {
    store_.reset();
    os::FileLock mine;  // two studios may find the damage at once
    const std::string lock = QDir(folder_).filePath(QLatin1String(kRepairName)).toStdString();
    for (int left = kRepairTries; mine.tryLock(lock) == os::LockState::Taken && left > 0; --left) {
        QThread::msleep(kRepairPause);
    }
    const int newest = newestNumber(folder_);
    if (newest > number_ || isValidFile(path())) {  // it was only one connection's, or is repaired
        number_ = newest;
        store_ = std::make_unique<RunStore>(path());
        return;
    }
    const QString damaged = path();
    ++repairs_;
    store_ = std::make_unique<RunStore>(pathOf(folder_, newest + 1));
    RunStore::Salvaged saved;
    try {
        saved = store_->salvage(damaged);
    } catch (const Error&) {  // nothing of it can be read
    }
    number_ = newest + 1;
    written.repaired = {.images = saved.images, .damaged = damaged, .now = path()};
}

QString RunWriter::path() const {
    return pathOf(folder_, number_);
}

/// SQLite takes some damage for rows that contradict each other.
bool RunWriter::isDamaged() {
    try {
        return store_ && !store_->isValid();
    } catch (const Error& error) {
        return error.kind() == ErrorKind::Corrupt;
    }
}

RunsWritten RunWriter::writeAll(bool isLast) {
    RunsWritten written;
    bool wasRepaired = false;
    while (!backlog_.empty() && (isLast || QDateTime::currentMSecsSinceEpoch() >= notBefore_)) {
        ErrorKind kind{};
        try {
            backlog_.front().work(opened(written));
            written.calls.push_back(std::move(backlog_.front().done));
            backlog_.pop_front();
            continue;
        } catch (const Error& error) {
            kind = error.kind();
            problem_ = sentenceOf(error);
        } catch (const std::bad_alloc&) {
            kind = ErrorKind::OutOfMemory;
            problem_ =
                QCoreApplication::translate("lowtide::ui::RunWriter", "there is not enough memory");
        }
        if (kind == ErrorKind::Internal && isDamaged()) {
            kind = ErrorKind::Corrupt;
        }
        if (kind == ErrorKind::Corrupt && repairs_ < kMostRepairs &&
            !std::exchange(wasRepaired, true)) {
            try {
                repair(written);
            } catch (const Error&) {  // the next try reports why
                store_.reset();
            }
        } else if (canPass(kind) && backlog_.front().isKept) {
            notBefore_ = QDateTime::currentMSecsSinceEpoch() + kPause;
            break;
        } else {
            written.problem = problem_;
            written.calls.push_back(std::move(backlog_.front().delayed));
            backlog_.pop_front();
        }
    }
    delayTheRest(written);
    return written;
}

/// What waits for another studio's write for a moment is no problem yet.
void RunWriter::delayTheRest(RunsWritten& written) {
    if (backlog_.size() > kMostDelayed) {
        backlog_.erase(backlog_.begin(),
                       backlog_.end() - static_cast<std::ptrdiff_t>(kMostDelayed));
    }
    for (RunWrite& write : backlog_) {
        if (write.delayed) {
            written.calls.push_back(std::exchange(write.delayed, {}));
        }
    }
    written.isComplete = backlog_.empty();
    if (!backlog_.empty() &&
        (!store_ || QDateTime::currentMSecsSinceEpoch() - backlog_.front().since > kBrief)) {
        written.problem = problem_;
    }
}

RunsWritten RunWriter::repairAndWrite() {
    RunsWritten repaired;
    try {
        if (repairs_ < kMostRepairs) {
            repair(repaired);
        }
    } catch (const Error&) {  // the next write reports why
        store_.reset();
    }
    RunsWritten written = writeAll();
    if (!written.repaired) {
        written.repaired = repaired.repaired;
    }
    return written;
}

/// Of the reading thread alone.
struct RunLibrary::Reader {
    RunStore& opened(const RunWriter& of) {
        if (const QString now = of.path(); !store || path != now) {
            path = now;
            store = std::make_unique<RunStore>(path, DatabaseUse::OnlyRead);
        }
        return *store;
    }

    std::unique_ptr<RunStore> store;
    QString path;
};

RunLibrary::RunLibrary(const QString& folder, QObject* parent)
    : QObject(parent),
      session_(QString::number(QRandomGenerator::system()->generate64(), kKeyBase)),
      folder_(folder),
      writer_(std::make_shared<RunWriter>(folder, session_)),
      reader_(std::make_shared<Reader>()),
      isThere_([](const QString& path) { return QFileInfo::exists(path); }) {
    makeThumbnails();
}

RunLibrary::~RunLibrary() {
    asked_.finish();
    for (int left = kLastTries; !writer_->writeAll(true).isComplete && left > 0; --left) {
        QThread::msleep(kLastPause);
    }
}

RunKey RunLibrary::keyOf(quint64 run) const {
    return QStringLiteral("%1:%2").arg(session_).arg(run);
}

RunKey RunLibrary::newSheetKey() {
    return QStringLiteral("%1:sheet%2").arg(session_).arg(++lastSheet_);
}

void RunLibrary::enqueue(std::function<RunsWritten(RunWriter&)> work,
                         std::function<void()> behind) {
    asked_.run([this, writer = writer_, work = std::move(work), behind = std::move(behind)] {
        const auto written = std::make_shared<const RunsWritten>(work(*writer));
        return [this, written, behind] {
            take(*written);
            if (behind) {
                behind();
            }
        };
    });
}

void RunLibrary::take(const RunsWritten& written) {
    if (const std::optional<RepairedRuns>& now = written.repaired) {
        ++repairs_;
        Q_EMIT repaired(
            tr("The list of earlier runs was damaged. %n images of it could be saved, and "
               "it goes on in “%1”; the damaged file “%2” is kept. The images' own files are "
               "untouched.",
               nullptr,
               static_cast<int>(now->images))
                .arg(QFileInfo(now->now).fileName(), QFileInfo(now->damaged).fileName()));
        Q_EMIT imagesChanged();
        makeThumbnails();
    }
    if (!written.problem.isEmpty()) {
        reportOnce(written.problem);
    } else if (written.isComplete && !isUnread_ && !std::exchange(problem_, QString()).isEmpty()) {
        Q_EMIT worksAgain();
    }
    for (const std::function<void()>& call : written.calls) {
        if (call) {
            call();
        }
    }
    if (!written.isComplete && !std::exchange(isTryingAgain_, true)) {
        QTimer::singleShot(kTryAgainMilliseconds, this, [this] {
            isTryingAgain_ = false;
            enqueue([](RunWriter& writer) { return writer.writeAll(); }, {});
        });
    }
}

void RunLibrary::reportOnce(const QString& problem) {
    if (std::exchange(problem_, problem).isEmpty()) {
        Q_EMIT failed(problem);
    }
}

void RunLibrary::queueWrite(RunWrite write) {
    write.since = nowMilliseconds();
    enqueue(
        [write = std::move(write)](RunWriter& writer) {
            writer.add(write);
            return writer.writeAll();
        },
        {});
}

void RunLibrary::write(std::function<void(RunStore&)> work, std::function<void()> done) {
    queueWrite({.work = std::move(work), .done = std::move(done)});
}

namespace {

/// Before something is read.
RunsWritten openAndWrite(RunWriter& writer) {
    writer.open();
    return writer.writeAll();
}

}  // namespace

void RunLibrary::read(Question question) {
    enqueue(openAndWrite, [this, shared = std::make_shared<const Question>(std::move(question))] {
        readNow(shared, true);
    });
}

void RunLibrary::readNow(const std::shared_ptr<const Question>& question, bool isFirst) {
    reading_.run([this, question, isFirst, writer = writer_, reader = reader_] {
        QString problem;
        bool isDamaged = false;
        try {
            question->work(reader->opened(*writer));
        } catch (const Error& error) {
            problem = sentenceOf(error);
            isDamaged = error.kind() == ErrorKind::Corrupt;
            reader->store.reset();
        } catch (const std::bad_alloc&) {
            problem = RunLibrary::tr("there is not enough memory");
        }
        return [this, question, problem, isDamaged, isFirst] {
            if (isDamaged && isFirst) {
                enqueue([](RunWriter& runs) { return runs.repairAndWrite(); },
                        [=, this] { readNow(question, false); });
                return;
            }
            isUnread_ = !problem.isEmpty();
            if (isUnread_) {
                reportOnce(problem);
            }
            const std::function<void()>& answer = isUnread_ ? question->failed : question->done;
            if (question->context && answer) {
                answer();
            }
        };
    });
}

void RunLibrary::changeImages(std::function<void(RunStore&)> work, std::function<void()> done) {
    write(std::move(work), [this, done = std::move(done)] {
        if (done) {
            done();
        }
        Q_EMIT imagesChanged();
    });
}

void RunLibrary::add(std::vector<RunRecord> runs) {
    write([runs = std::move(runs)](RunStore& store) { store.add(runs); });
}

void RunLibrary::end(std::vector<RunRecord> runs, QObject* context, std::function<void()> done) {
    for (RunRecord& run : runs) {
        run.ended = nowMilliseconds();
    }
    const auto report = [wanted = QPointer<QObject>(context),
                         done = std::make_shared<std::function<void()>>(std::move(done))] {
        if (wanted && *done) {
            std::exchange(*done, {})();
        }
    };
    queueWrite({.work = [runs = std::move(runs)](RunStore& store) { store.end(runs); },
                .done = report,
                .delayed = report});
}

void RunLibrary::addImages(const RunKey& key, const QStringList& paths, ImageClaim claim) {
    write([key, paths, claim, now = nowMilliseconds()](
              RunStore& store) { store.addImages(key, paths, claim, now); },
          [this] {
              Q_EMIT imagesChanged();
              makeThumbnails();
          });
}

void RunLibrary::askLeftOpen(QObject* context, std::function<void(std::vector<RunRecord>)> done) {
    ask([folder = folder_](RunStore& store) { return store.leftOpen(livingIn(folder)); },
        context,
        std::move(done));
}

void RunLibrary::askPrompts(std::shared_ptr<const graph::Catalog> catalog,
                            QObject* context,
                            std::function<void(PastPrompts)> done) {
    ask([catalog = std::move(catalog)](
            RunStore& store) { return pastPrompts(store.recentGraphs(kGraphs), *catalog); },
        context,
        std::move(done));
}

/// Asks the writing thread again behind the answer: a problem that is over is forgotten by then.
/// What a damaged file lost is in no answer.
void RunLibrary::visitGraphs(std::function<void(const std::string& text)> visit,
                             QObject* context,
                             std::function<void(const QString& problem)> done) {
    const QPointer<QObject> wanted(context);
    const auto end = [this, wanted, done = std::move(done), before = repairs_] {
        if (wanted) {
            done(repairs_ > before ? tr("The list of earlier runs was damaged.") : problem_);
        }
    };
    ask(
        [visit = std::move(visit)](RunStore& store) {
            store.visitGraphs(visit);
            return true;
        },
        context,
        [this, end](bool) { enqueue(openAndWrite, end); },
        end);
}

void RunLibrary::askThumbnails(const std::vector<ImageRecord>& images,
                               int side,
                               QObject* context,
                               std::function<void(std::vector<Thumbnail>)> done) {
    ask(
        [images, side](RunStore& store) {
            std::vector<Thumbnail> thumbnails;
            for (const ImageRecord& image : images) {
                thumbnails.push_back(
                    {.imageId = image.id,
                     .image = boundedBy(QImage::fromData(store.thumbnail(image.id)), side)});
            }
            return thumbnails;
        },
        context,
        std::move(done));
}

void RunLibrary::askMissing(const std::vector<ImageRecord>& images,
                            QObject* context,
                            std::function<void(std::set<int64_t>)> done) {
    const QPointer<QObject> wanted(context);
    looking_.run([images, wanted, done = std::move(done), isThere = isThere_] {
        std::set<int64_t> missing;
        for (const ImageRecord& image : images) {
            if (!isThere(image.path)) {
                missing.insert(image.id);
            }
        }
        return [wanted, done, missing = std::move(missing)] {
            if (wanted) {
                done(missing);
            }
        };
    });
}

void RunLibrary::restoreImages(const std::vector<ImageRecord>& images) {
    write([images](RunStore& store) { store.restoreImages(images); },
          [this] {
              Q_EMIT imagesChanged();
              makeThumbnails();
          });
}

/// A few at a time; those that come meanwhile are in the next lot.
void RunLibrary::makeThumbnails() {
    if (std::exchange(isMaking_, true)) {
        return;
    }
    ask([](RunStore& store) { return store.withoutThumbnail(kAtOnce); },
        this,
        [this](const std::vector<ImageRecord>& images) {
            if (images.empty()) {
                isMaking_ = false;
                return;
            }
            for (const ImageRecord& image : images) {
                makeThumbnail(image);
            }
            wasMade_ = false;
            making_.run([this] {
                return [this] {
                    enqueue(openAndWrite,
                            [this] {  // behind those that are written now
                                isMaking_ = false;
                                if (wasMade_) {
                                    makeThumbnails();
                                }
                            });
                };
            });
        },
        [this] { isMaking_ = false; });
}

void RunLibrary::makeThumbnail(const ImageRecord& image) {
    making_.run([this, image] {
        const LoadedImage loaded = loadImage(image.path);
        const QSize whole = loaded.size.isEmpty() && !loaded.levels.empty()
                                ? loaded.levels.front().size()
                                : loaded.size;
        const QByteArray bytes = encoded(smallOf(loaded));
        return [this, image, whole, bytes] {
            queueWrite({.work = [id = image.id, whole, bytes](
                                    RunStore& store) { store.setThumbnail(id, whole, bytes); },
                        .done =
                            [this, id = image.id] {
                                wasMade_ = true;
                                Q_EMIT thumbnailMade(id);
                            },
                        .isKept = false});  // it is made again from the image
        };
    });
}

}  // namespace lowtide::ui
