#include "ui/bridge/run_library.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/picture_load.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"

#include <QBuffer>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRandomGenerator>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr const char* kStoreName = "runs.sqlite";
constexpr const char* kLockSuffix = ".lock";
constexpr int kKeyBase = 16;
constexpr int kQuality = 85;  ///< of JPEG
constexpr int64_t kAtOnce = 16;
constexpr int64_t kGraphs = 1000;  ///< in which earlier prompts are looked for

int64_t nowMilliseconds() {
    return QDateTime::currentMSecsSinceEpoch();
}

/// Sessions whose studio is open. Locks of others are removed.
QStringList livingSessions(const QDir& folder) {
    QStringList living;
    const QStringList locks = folder.entryList({QStringLiteral("*%1").arg(kLockSuffix)});
    for (const QString& name : locks) {
        const QString path = folder.filePath(name);
        os::FileLock lock;
        if (lock.tryLock(path.toStdString()) == os::LockState::Held) {
            QFile::remove(path);
        } else {
            living << name.chopped(static_cast<int>(qstrlen(kLockSuffix))) + QLatin1Char(':');
        }
    }
    return living;
}

/// Under another name, so that a new one can be made.
QString setAside(const QString& path) {
    const QString name = nameForBroken(path);
    for (const char* part : {"-wal", "-shm"}) {
        QFile::rename(path + QLatin1String(part), name + QLatin1String(part));
    }
    QFile::rename(path, name);
    return QFileInfo(name).fileName();
}

QImage smallOf(const LoadedPicture& loaded) {
    return loaded.levels.empty() ? QImage()
                                 : boundedBy(loaded.levels.back(), RunLibrary::kThumbnailPixels);
}

QByteArray encoded(const QImage& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    const char* format = picture.hasAlphaChannel() ? "PNG" : "JPEG";
    if (picture.isNull() || !buffer.open(QIODevice::WriteOnly) ||
        !picture.save(&buffer, format, picture.hasAlphaChannel() ? -1 : kQuality)) {
        return {};
    }
    return bytes;
}

}  // namespace

/// Of the other thread alone.
struct RunLibrary::Store {
    explicit Store(QString of) : folder(std::move(of)) {}

    RunStore& opened(const QString& session, QString& problem) {
        if (!store) {
            QDir().mkpath(folder);
            (void)lock.tryLock(
                QDir(folder).filePath(session + QLatin1String(kLockSuffix)).toStdString());
            const QString path = QDir(folder).filePath(QLatin1String(kStoreName));
            try {
                store = std::make_unique<RunStore>(path);
            } catch (const Error& error) {
                if (error.kind() != ErrorKind::Corrupt) {
                    throw;
                }
                const QString aside = setAside(path);
                store = std::make_unique<RunStore>(path);
                problem = RunLibrary::tr(
                              "The list of earlier runs is damaged (%1). It was kept as "
                              "“%2”, and a new one begins; the pictures are untouched.")
                              .arg(errorText(error), aside);
            }
        }
        return *store;
    }

    const QString folder;
    os::FileLock lock;
    std::unique_ptr<RunStore> store;
};

RunLibrary::RunLibrary(const QString& folder, QObject* parent)
    : QObject(parent),
      session_(QString::number(QRandomGenerator::system()->generate64(), kKeyBase)),
      store_(std::make_shared<Store>(folder)),
      isThere_([](const QString& path) { return QFileInfo::exists(path); }) {
    makeThumbnails();
}

RunLibrary::~RunLibrary() {
    asked_.finish();
}

RunKey RunLibrary::keyOf(quint64 run) const {
    return QStringLiteral("%1:%2").arg(session_).arg(run);
}

RunKey RunLibrary::newSheetKey() {
    return QStringLiteral("%1:sheet%2").arg(session_).arg(++lastSheet_);
}

template <class Result>
void RunLibrary::ask(std::function<Result(RunStore&)> work,
                     QObject* context,
                     std::function<void(Result)> done) {
    const QPointer<QObject> wanted(context);
    asked_.run([this, work = std::move(work), done = std::move(done), wanted, store = store_] {
        auto result = std::make_shared<Result>();
        QString problem;
        bool isDone = false;
        try {
            *result = work(store->opened(session_, problem));
            isDone = true;
        } catch (const Error& error) {
            problem = sentenceOf(error);
        } catch (const std::bad_alloc&) {
            problem = RunLibrary::tr("there is not enough memory");
        }
        return [this, result, problem, isDone, wanted, done] {
            take(problem, isDone);
            if (wanted && done) {
                done(std::move(*result));
            }
        };
    });
}

void RunLibrary::take(const QString& problem, bool isDone) {
    const bool wasBroken = !std::exchange(problem_, isDone ? QString() : problem).isEmpty();
    if (!problem.isEmpty() && !wasBroken) {
        Q_EMIT failed(problem);
    }
    if (wasBroken && isDone) {
        Q_EMIT worksAgain();
    }
}

void RunLibrary::write(std::function<void(RunStore&)> work, std::function<void(bool)> done) {
    ask<bool>(
        [work = std::move(work)](RunStore& store) {
            work(store);
            return true;
        },
        this,
        std::move(done));
}

void RunLibrary::changePictures(std::function<void(RunStore&)> work) {
    write(std::move(work), [this](bool) { Q_EMIT picturesChanged(); });
}

void RunLibrary::add(std::vector<RunRecord> runs) {
    write([runs = std::move(runs)](RunStore& store) { store.add(runs); });
}

void RunLibrary::setOrder(const std::vector<RunKey>& waiting) {
    write([waiting](RunStore& store) { store.setOrder(waiting); });
}

void RunLibrary::begin(const RunKey& key) {
    write([key, now = nowMilliseconds()](RunStore& store) { store.begin(key, now); });
}

void RunLibrary::end(std::vector<RunRecord> runs, QObject* context, std::function<void()> done) {
    for (RunRecord& run : runs) {
        run.ended = nowMilliseconds();
    }
    const QPointer<QObject> wanted(context);
    write([runs = std::move(runs)](RunStore& store) { store.end(runs); },
          [wanted, done = std::move(done)](bool) {
              if (wanted && done) {
                  done();
              }
          });
}

void RunLibrary::addPictures(const RunKey& key, const QStringList& paths, PictureClaim claim) {
    write([key, paths, claim, now = nowMilliseconds()](
              RunStore& store) { store.addPictures(key, paths, claim, now); },
          [this](bool) {
              Q_EMIT picturesChanged();
              makeThumbnails();
          });
}

void RunLibrary::forget(const std::vector<RunKey>& runs) {
    changePictures([runs](RunStore& store) { store.forget(runs); });
}

void RunLibrary::addSheet(const RunRecord& sheet,
                          const std::string& description,
                          const std::vector<RunKey>& cells) {
    write([sheet, description, cells](RunStore& store) {
        store.add({sheet});
        store.addSheet(sheet.key, description, cells);
    });
}

void RunLibrary::endCell(const RunKey& run,
                         const QStringList& files,
                         QObject* context,
                         std::function<void(std::optional<SheetRecord>)> done) {
    ask<std::optional<SheetRecord>>(
        [run, files](RunStore& store) {
            const RunKey sheet = store.endCell(run, files);
            return sheet.isEmpty() ? std::nullopt : store.sheet(sheet);
        },
        context,
        std::move(done));
}

void RunLibrary::endCells(const std::vector<RunKey>& runs,
                          QObject* context,
                          std::function<void(std::vector<SheetRecord>)> done) {
    ask<std::vector<SheetRecord>>(
        [runs](RunStore& store) {
            std::set<RunKey> keys;
            for (const RunKey& run : runs) {
                keys.insert(store.sheetOf(run));
            }
            std::vector<SheetRecord> sheets;
            for (const RunKey& key : keys) {
                if (std::optional<SheetRecord> sheet =
                        key.isEmpty() ? std::nullopt : store.sheet(key)) {
                    sheets.push_back(std::move(*sheet));
                }
            }
            return sheets;
        },
        context,
        std::move(done));
}

void RunLibrary::takePlaces(std::vector<std::pair<RunKey, RunKey>> places) {
    if (places.empty()) {
        return;
    }
    write([places = std::move(places)](RunStore& store) {
        for (const auto& [before, now] : places) {
            store.takePlace(before, now);
        }
    });
}

void RunLibrary::setSheetPicture(const RunKey& sheet, const QString& path) {
    write([sheet, path](RunStore& store) { store.setSheetPicture(sheet, path); });
    addPictures(sheet, {path}, PictureClaim::Wrote);
}

void RunLibrary::askSheet(const RunKey& key,
                          QObject* context,
                          std::function<void(std::optional<SheetRecord>)> done) {
    ask<std::optional<SheetRecord>>(
        [key](RunStore& store) {
            const RunKey sheet = key.isEmpty() ? store.newestSheet() : store.sheetOf(key);
            return sheet.isEmpty() ? std::nullopt : store.sheet(sheet);
        },
        context,
        std::move(done));
}

void RunLibrary::askUnwrittenSheets(QObject* context,
                                    std::function<void(std::vector<SheetRecord>)> done) {
    ask<std::vector<SheetRecord>>(
        [](RunStore& store) {
            std::vector<SheetRecord> sheets;
            for (const RunKey& key : store.unwrittenSheets()) {
                if (std::optional<SheetRecord> sheet = store.sheet(key)) {
                    sheets.push_back(std::move(*sheet));
                }
            }
            return sheets;
        },
        context,
        std::move(done));
}

void RunLibrary::askLeftOpen(QObject* context, std::function<void(std::vector<RunRecord>)> done) {
    ask<std::vector<RunRecord>>(
        [folder = store_->folder](RunStore& store) {
            return store.leftOpen(livingSessions(QDir(folder)));
        },
        context,
        std::move(done));
}

void RunLibrary::claim(const std::vector<RunKey>& leftOpen,
                       QObject* context,
                       std::function<void(std::vector<RunKey>)> done) {
    ask<std::vector<RunKey>>(
        [leftOpen, now = nowMilliseconds()](RunStore& store) { return store.claim(leftOpen, now); },
        context,
        std::move(done));
}

void RunLibrary::askRun(const RunKey& key,
                        QObject* context,
                        std::function<void(std::optional<RunRecord>)> done) {
    ask<std::optional<RunRecord>>(
        [key](RunStore& store) { return store.run(key); }, context, std::move(done));
}

void RunLibrary::askPictures(const PictureFilter& filter,
                             QObject* context,
                             std::function<void(std::vector<PictureRecord>)> done) {
    ask<std::vector<PictureRecord>>(
        [filter](RunStore& store) { return store.pictures(filter); }, context, std::move(done));
}

void RunLibrary::askPrompts(std::shared_ptr<const graph::Catalog> catalog,
                            QObject* context,
                            std::function<void(PastPrompts)> done) {
    ask<PastPrompts>(
        [catalog = std::move(catalog)](RunStore& store) {
            return pastPrompts(store.recentGraphs(kGraphs), *catalog);
        },
        context,
        std::move(done));
}

void RunLibrary::askChoices(QObject* context, std::function<void(Choices)> done) {
    ask<Choices>(
        [](RunStore& store) { return Choices{.models = store.models(), .graphs = store.graphs()}; },
        context,
        std::move(done));
}

void RunLibrary::askThumbnails(const std::vector<PictureRecord>& pictures,
                               int side,
                               QObject* context,
                               std::function<void(std::vector<Thumbnail>)> done) {
    ask<std::vector<Thumbnail>>(
        [pictures, side](RunStore& store) {
            std::vector<Thumbnail> thumbnails;
            for (const PictureRecord& picture : pictures) {
                thumbnails.push_back(
                    {.picture = picture.id,
                     .image = boundedBy(QImage::fromData(store.thumbnail(picture.id)), side)});
            }
            return thumbnails;
        },
        context,
        std::move(done));
}

void RunLibrary::askMissing(const std::vector<PictureRecord>& pictures,
                            QObject* context,
                            std::function<void(std::set<int64_t>)> done) {
    const QPointer<QObject> wanted(context);
    looking_.run([pictures, wanted, done = std::move(done), isThere = isThere_] {
        std::set<int64_t> missing;
        for (const PictureRecord& picture : pictures) {
            if (!isThere(picture.path)) {
                missing.insert(picture.id);
            }
        }
        return [wanted, done, missing = std::move(missing)] {
            if (wanted) {
                done(missing);
            }
        };
    });
}

void RunLibrary::setStarred(const std::vector<int64_t>& pictures, bool isStarred) {
    changePictures(
        [pictures, isStarred](RunStore& store) { store.setStarred(pictures, isStarred); });
}

void RunLibrary::setPath(int64_t picture, const QString& path, std::function<void(bool)> done) {
    write([picture, path](RunStore& store) { store.setPath(picture, path); },
          [this, done = std::move(done)](bool isKept) {
              done(isKept);
              Q_EMIT picturesChanged();
          });
}

void RunLibrary::forgetPictures(const std::vector<int64_t>& pictures) {
    changePictures([pictures](RunStore& store) { store.forgetPictures(pictures); });
}

void RunLibrary::restorePictures(const std::vector<PictureRecord>& pictures) {
    write([pictures](RunStore& store) { store.restorePictures(pictures); },
          [this](bool) {
              Q_EMIT picturesChanged();
              makeThumbnails();
          });
}

/// A few at a time; those that come meanwhile are in the next lot.
void RunLibrary::makeThumbnails() {
    if (std::exchange(isMaking_, true)) {
        return;
    }
    ask<std::vector<PictureRecord>>(
        [](RunStore& store) { return store.withoutThumbnail(kAtOnce); },
        this,
        [this](const std::vector<PictureRecord>& pictures) {
            for (const PictureRecord& picture : pictures) {
                makeThumbnail(picture);
            }
            if (pictures.empty()) {
                isMaking_ = false;
                return;
            }
            wasMade_ = false;
            making_.run([this] {
                return [this] {
                    write([](RunStore&) {}, [this](bool) {  // behind those that are written now
                        isMaking_ = false;
                        if (wasMade_) {
                            makeThumbnails();
                        }
                    });
                };
            });
        });
}

void RunLibrary::makeThumbnail(const PictureRecord& picture) {
    making_.run([this, picture] {
        const LoadedPicture loaded = loadPicture(picture.path);
        const QSize whole = loaded.size.isEmpty() && !loaded.levels.empty()
                                ? loaded.levels.front().size()
                                : loaded.size;
        const QByteArray bytes = encoded(smallOf(loaded));
        return [this, picture, whole, bytes] {
            write([id = picture.id, whole, bytes](
                      RunStore& store) { store.setThumbnail(id, whole, bytes); },
                  [this, id = picture.id](bool isWritten) {
                      wasMade_ = wasMade_ || isWritten;
                      Q_EMIT thumbnailMade(id);
                  });
        };
    });
}

}  // namespace lowtide::ui
