#include "ui/bridge/run_library.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/language/module_texts.hpp"

#include <QBuffer>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QThread>
#include <QTimer>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kKeyBase = 16;
constexpr int kQuality = 85;  ///< of JPEG
constexpr int64_t kAtOnce = 16;
constexpr int64_t kGraphs = 1000;  ///< in which earlier prompts are looked for
constexpr int kTryAgainMilliseconds = 1000;
constexpr int kLastTries = 8;
constexpr unsigned long kLastPause = 250;  ///< milliseconds

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

void RunLibrary::write(RunWrite write) {
    write.since = nowMilliseconds();
    enqueue(
        [write = std::move(write)](RunWriter& writer) {
            writer.add(write);
            return writer.writeAll();
        },
        {});
}

void RunLibrary::write(std::function<void(RunStore&)> work, std::function<void()> done) {
    write(RunWrite{.work = std::move(work), .done = std::move(done)});
}

namespace {

/// Before something is read.
RunsWritten openAndWrite(RunWriter& writer) {
    writer.open();
    return writer.writeAll();
}

/// For callers that need no word when a question cannot be answered.
template <class Result>
std::function<void(std::optional<Result>)> whereAnswered(std::function<void(Result)> done) {
    return [done = std::move(done)](std::optional<Result> answer) {
        if (answer && done) {
            done(std::move(*answer));
        }
    };
}

}  // namespace

template <class Result>
void RunLibrary::ask(std::function<Result(RunStore&)> work,
                     QObject* context,
                     std::function<void(std::optional<Result>)> done) {
    const QPointer<QObject> wanted(context);
    auto shared = std::make_shared<const std::function<Result(RunStore&)>>(std::move(work));
    enqueue(openAndWrite,
            [this, shared, wanted, done = std::move(done)] { read(shared, wanted, done, true); });
}

template <class Result>
void RunLibrary::read(std::shared_ptr<const std::function<Result(RunStore&)>> work,
                      const QPointer<QObject>& context,
                      std::function<void(std::optional<Result>)> done,
                      bool isFirst) {
    reading_.run([this, work, context, done, isFirst, writer = writer_, reader = reader_] {
        auto result = std::make_shared<std::optional<Result>>();
        QString problem;
        bool isDamaged = false;
        try {
            *result = (*work)(reader->opened(*writer));
        } catch (const Error& error) {
            problem = sentenceOf(error);
            isDamaged = error.kind() == ErrorKind::Corrupt;
            reader->store.reset();
        } catch (const std::bad_alloc&) {
            problem = RunLibrary::tr("there is not enough memory");
        }
        return [this, result, problem, isDamaged, work, context, done, isFirst] {
            if (isDamaged && isFirst) {
                enqueue([](RunWriter& runs) { return runs.repairAndWrite(); },
                        [=, this] { read(work, context, done, false); });
                return;
            }
            isUnread_ = !problem.isEmpty();
            if (isUnread_) {
                reportOnce(problem);
            }
            if (context && done) {
                done(std::move(*result));
            }
        };
    });
}

void RunLibrary::changeImages(std::function<void(RunStore&)> work) {
    write(std::move(work), [this] { Q_EMIT imagesChanged(); });
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
    const auto report = [wanted = QPointer<QObject>(context),
                         done = std::make_shared<std::function<void()>>(std::move(done))] {
        if (wanted && *done) {
            std::exchange(*done, {})();
        }
    };
    write({.work = [runs = std::move(runs)](RunStore& store) { store.end(runs); },
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

void RunLibrary::forget(const std::vector<RunKey>& runs) {
    changeImages([runs](RunStore& store) { store.forget(runs); });
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
    const auto sheet = std::make_shared<std::optional<SheetRecord>>();
    write(
        [run, files, sheet](RunStore& store) {
            const RunKey key = store.endCell(run, files);
            *sheet = key.isEmpty() ? std::nullopt : store.sheet(key);
        },
        [sheet, wanted = QPointer<QObject>(context), done = std::move(done)] {
            if (wanted && done) {
                done(std::move(*sheet));
            }
        });
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
        whereAnswered<std::vector<SheetRecord>>(std::move(done)));
}

void RunLibrary::replaceRuns(std::vector<std::pair<RunKey, RunKey>> replacements) {
    if (replacements.empty()) {
        return;
    }
    write([replacements = std::move(replacements)](RunStore& store) {
        for (const auto& [before, now] : replacements) {
            store.replaceRun(before, now);
        }
    });
}

void RunLibrary::setSheetImage(const RunKey& sheet, const QString& path) {
    write([sheet, path](RunStore& store) { store.setSheetImage(sheet, path); });
    addImages(sheet, {path}, ImageClaim::Wrote);
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
        whereAnswered<std::optional<SheetRecord>>(std::move(done)));
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
        whereAnswered<std::vector<SheetRecord>>(std::move(done)));
}

void RunLibrary::askLeftOpen(QObject* context, std::function<void(std::vector<RunRecord>)> done) {
    ask<std::vector<RunRecord>>(
        [folder = folder_](RunStore& store) {
            return store.leftOpen(livingSessions(QDir(folder)));
        },
        context,
        whereAnswered<std::vector<RunRecord>>(std::move(done)));
}

void RunLibrary::claim(const std::vector<RunKey>& leftOpen,
                       QObject* context,
                       std::function<void(std::vector<RunKey>)> done) {
    const auto claimed = std::make_shared<std::vector<RunKey>>();
    write([leftOpen,
           claimed](RunStore& store) { *claimed = store.claim(leftOpen, nowMilliseconds()); },
          [claimed, wanted = QPointer<QObject>(context), done = std::move(done)] {
              if (wanted && done) {
                  done(std::move(*claimed));
              }
          });
}

void RunLibrary::askRun(const RunKey& key,
                        QObject* context,
                        std::function<void(std::optional<RunRecord>)> done) {
    ask<std::optional<RunRecord>>([key](RunStore& store) { return store.run(key); },
                                  context,
                                  whereAnswered<std::optional<RunRecord>>(std::move(done)));
}

void RunLibrary::askImages(const ImageFilter& filter,
                           QObject* context,
                           std::function<void(std::optional<std::vector<ImageRecord>>)> done) {
    ask<std::vector<ImageRecord>>(
        [filter](RunStore& store) { return store.images(filter); }, context, std::move(done));
}

void RunLibrary::askPrompts(std::shared_ptr<const graph::Catalog> catalog,
                            QObject* context,
                            std::function<void(PastPrompts)> done) {
    ask<PastPrompts>(
        [catalog = std::move(catalog)](RunStore& store) {
            return pastPrompts(store.recentGraphs(kGraphs), *catalog);
        },
        context,
        whereAnswered<PastPrompts>(std::move(done)));
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
    ask<bool>(
        [visit = std::move(visit)](RunStore& store) {
            store.visitGraphs(visit);
            return true;
        },
        context,
        [this, end](std::optional<bool> wasRead) {
            if (wasRead) {
                enqueue(openAndWrite, end);
            } else {
                end();
            }
        });
}

void RunLibrary::askChoices(QObject* context, std::function<void(Choices)> done) {
    ask<Choices>(
        [](RunStore& store) { return Choices{.models = store.models(), .graphs = store.graphs()}; },
        context,
        whereAnswered<Choices>(std::move(done)));
}

void RunLibrary::askThumbnails(const std::vector<ImageRecord>& images,
                               int side,
                               QObject* context,
                               std::function<void(std::vector<Thumbnail>)> done) {
    ask<std::vector<Thumbnail>>(
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
        whereAnswered<std::vector<Thumbnail>>(std::move(done)));
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

void RunLibrary::setStarred(const std::vector<int64_t>& images, bool isStarred) {
    changeImages([images, isStarred](RunStore& store) { store.setStarred(images, isStarred); });
}

void RunLibrary::setPath(int64_t imageId, const QString& path, std::function<void()> done) {
    write([imageId, path](RunStore& store) { store.setPath(imageId, path); },
          [this, done = std::move(done)] {
              done();
              Q_EMIT imagesChanged();
          });
}

void RunLibrary::forgetImages(const std::vector<int64_t>& images) {
    changeImages([images](RunStore& store) { store.forgetImages(images); });
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
    ask<std::vector<ImageRecord>>([](RunStore& store) { return store.withoutThumbnail(kAtOnce); },
                                  this,
                                  [this](const std::optional<std::vector<ImageRecord>>& images) {
                                      if (!images || images->empty()) {
                                          isMaking_ = false;
                                          return;
                                      }
                                      for (const ImageRecord& image : *images) {
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
                                  });
}

void RunLibrary::makeThumbnail(const ImageRecord& image) {
    making_.run([this, image] {
        const LoadedImage loaded = loadImage(image.path);
        const QSize whole = loaded.size.isEmpty() && !loaded.levels.empty()
                                ? loaded.levels.front().size()
                                : loaded.size;
        const QByteArray bytes = encoded(smallOf(loaded));
        return [this, image, whole, bytes] {
            write({.work = [id = image.id, whole, bytes](
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
