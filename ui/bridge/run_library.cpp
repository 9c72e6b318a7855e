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

void RunLibrary::askLeftOpen(QObject* context, std::function<void(std::vector<RunRecord>)> done) {
    ask([folder =
             folder_](RunStore& store) { return store.leftOpen(livingSessions(QDir(folder))); },
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
