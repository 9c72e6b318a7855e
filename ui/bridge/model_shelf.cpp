#include "ui/bridge/model_shelf.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/base/log.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/document/json_members.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"

#include <QBuffer>
#include <QFileInfo>

#include <algorithm>
#include <span>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr size_t kAutoV2Digits = 10;
constexpr Bytes kHashPiece = 4 * kMiB;
constexpr double kProgressStep = 0.01;

constexpr Bytes kLargestShelf = 64 * kMiB;
constexpr int kShelfIndent = 1;
constexpr size_t kImageDigits = 16;
constexpr const char* kNote = "note";
constexpr const char* kImage = "picture";  ///< name of a file in the folder
constexpr const char* kSha256 = "sha256";
constexpr const char* kIdentity = "identity";  ///< that the file had when it was hashed

std::string imageName(const std::string& path) {
    return sha256Hex(path).substr(0, kImageDigits) + ".png";
}

Json identityJson(const files::FileIdentity& identity) {
    return {identity.size, identity.modifiedNanoseconds, identity.inode};
}

files::FileIdentity identityFrom(const Json& json) {
    const bool fits = json.is_array() && json.size() == 3 && json[0].is_number_integer() &&
                      json[1].is_number_integer() && json[2].is_number_integer();
    return fits ? files::FileIdentity{json[0].get<Bytes>(),
                                      json[1].get<int64_t>(),
                                      json[2].get<uint64_t>()}
                : files::FileIdentity{};
}

}  // namespace

HashedModel hashModel(const std::string& path,
                      const StopToken& stop,
                      const std::function<void(double)>& progress) {
    try {
        const files::InputFile file(path);
        const Bytes size = file.identity().size;
        std::vector<std::byte> piece(static_cast<size_t>(std::min(kHashPiece, size)));
        Hasher hasher;
        double reported = 0;
        for (Bytes done = 0; done < size;) {
            const auto count = static_cast<size_t>(std::min(kHashPiece, size - done));
            const std::span<std::byte> part(piece.data(), count);
            file.read(part, done, stop);
            hasher.addRaw(part);
            done += static_cast<Bytes>(count);
            const double fraction = static_cast<double>(done) / static_cast<double>(size);
            if (fraction >= reported + kProgressStep) {
                reported = fraction;
                progress(fraction);
            }
        }
        if (!file.isUnchanged()) {
            return {.sha256 = {},
                    .problem = message("{} changed while it was read; hash it again", file.name())};
        }
        return {.sha256 = hasher.hexDigest(), .problem = {}, .identity = file.identity()};
    } catch (const Error& error) {
        return {.sha256 = {},
                .problem = error.kind() == ErrorKind::Cancelled ? Message() : error.message()};
    }
}

std::string autoV2(const std::string& sha256) {
    return sha256.substr(0, kAutoV2Digits);
}

ModelShelf::ModelShelf(const QString& folder, QObject* parent)
    : QObject(parent),
      folder_(folder),
      store_(folder + QStringLiteral("/models.json"), "models", kLargestShelf, kShelfIndent) {
    if (!folder_.isEmpty() && QFileInfo::exists(store_.path())) {
        read();
    }
    store_.setKnown(asJson());
}

ModelShelf::~ModelShelf() {
    stop_.cancel(CancelMode::Now);
    finish();
}

void ModelShelf::finish() {
    store_.finish();
}

/// A damaged file is set aside: what is in it may be repaired by hand.
void ModelShelf::read() {
    try {
        const Json json = store_.read();
        const Json& models = memberIn(json, "models");
        for (const auto& [path, facts] : models.items()) {
            if (models.is_object() && facts.is_object()) {
                models_[path] = facts;
            }
        }
    } catch (const Error& error) {
        log(Level::Warning, "notes of models cannot be read: " + error.message().str());
        static_cast<void>(setBrokenAside(store_.path()));
    }
}

/// As a file states it.
Json ModelShelf::asJson() const {
    return {{"format", 1}, {"models", models_}};
}

void ModelShelf::write() {
    if (!folder_.isEmpty()) {
        store_.write(
            asJson(),
            {},
            [this](const Error* error) { setProblem(notesProblem_, errorText(*error)); },
            [this] { setProblem(notesProblem_, {}); });
    }
}

void ModelShelf::setProblem(QString& part, const QString& reason) {
    const bool wasKept = problem().isEmpty();
    part = reason;
    if (!reason.isEmpty()) {
        log(Level::Warning, "notes of models are not kept: " + reason.toStdString());
        Q_EMIT notKept(reason);
    } else if (!wasKept && problem().isEmpty()) {
        Q_EMIT keptAgain();
    }
}

const Json& ModelShelf::factsOf(const std::string& path) const {
    return memberIn(models_, path.c_str());
}

QString ModelShelf::noteOf(const FoundModel& model) const {
    return QString::fromStdString(textIn(factsOf(model.file.path), kNote));
}

void ModelShelf::setNote(const FoundModel& model, const QString& text) {
    const std::string& path = model.file.path;
    if (noteOf(model) == text) {
        return;
    }
    Json& facts = models_[path];
    if (text.isEmpty()) {
        facts.erase(kNote);
    } else {
        facts[kNote] = text.toStdString();
    }
    if (facts.empty()) {
        models_.erase(path);
    }
    write();
    Q_EMIT changed(path);
}

QString ModelShelf::imageOf(const FoundModel& model) const {
    const QString name =
        QFileInfo(QString::fromStdString(textIn(factsOf(model.file.path), kImage))).fileName();
    return name.isEmpty() ? name : folder_ + QLatin1Char('/') + name;
}

void ModelShelf::setImage(const FoundModel& model, const QImage& image) {
    if (folder_.isEmpty() || image.isNull()) {
        return;
    }
    const std::string path = model.file.path;
    const QString name = QString::fromStdString(imageName(path));
    store_.thread().run([this, path, name, image]() -> Background::Answer {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        image.scaled(kImagePixels, kImagePixels, Qt::KeepAspectRatio, Qt::SmoothTransformation)
            .save(&buffer, "PNG");
        try {
            files::makeFolders(folder_.toStdString());
            files::writeFileAtomically((folder_ + QLatin1Char('/') + name).toStdString(),
                                       {bytes.constData(), static_cast<size_t>(bytes.size())});
        } catch (const Error& error) {
            return [this, reason = errorText(error)] { setProblem(imageProblem_, reason); };
        }
        return [this, path] {
            setProblem(imageProblem_, {});
            Q_EMIT changed(path);
        };
    });
    models_[path][kImage] = name.toStdString();  // the program may end before an answer comes
    write();
}

std::string ModelShelf::hashOf(const FoundModel& model) const {
    const Json& facts = factsOf(model.file.path);
    const bool isSame = identityFrom(memberIn(facts, kIdentity)) == model.identity;
    return isSame ? textIn(facts, kSha256) : std::string();
}

void ModelShelf::hash(const FoundModel& model) {
    const bool isAsked = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& each) {
        return each.file.path == model.file.path;
    });
    if (!isAsked && hashing_ != model.file.path && model.identity.size > 0) {
        waiting_.push_back(model);
        hashNext();
    }
}

void ModelShelf::cancelHashing() {
    const std::vector<FoundModel> dropped = std::exchange(waiting_, {});
    stop_.cancel(CancelMode::Now);
    for (const FoundModel& model : dropped) {
        Q_EMIT hashEnded(model.file.path, {});
    }
}

void ModelShelf::cancelHashing(const std::string& path) {
    if (hashing_ == path) {
        stop_.cancel(CancelMode::Now);
        return;
    }
    const auto dropped =
        std::erase_if(waiting_, [&](const FoundModel& model) { return model.file.path == path; });
    if (dropped > 0) {
        Q_EMIT hashEnded(path, {});
    }
}

std::string ModelShelf::lastHashAt(const std::string& path) const {
    return textIn(factsOf(path), kSha256);
}

void ModelShelf::hashNext() {
    if (!hashing_.empty() || waiting_.empty()) {
        return;
    }
    const FoundModel model = waiting_.front();
    waiting_.erase(waiting_.begin());
    hashing_ = model.file.path;
    stop_ = StopSource();
    reading_.run([this, model, stop = stop_.token()]() -> Background::Answer {
        HashedModel hashed = hashModel(model.file.path, stop, [this, &model](double fraction) {
            QMetaObject::invokeMethod(
                this,
                [this, path = model.file.path, fraction] { Q_EMIT hashProgressed(path, fraction); },
                Qt::QueuedConnection);
        });
        if (!hashed.sha256.empty() && hashed.identity != model.identity) {
            hashed.problem =
                message("{} changed since the folders were looked through", model.file.name);
        }
        return [this, model, hashed = std::move(hashed)] { takeHash(model, hashed); };
    });
}

/// A model that was moved is known again by its hash.
void ModelShelf::takeHash(const FoundModel& model, const HashedModel& hashed) {
    hashing_.clear();
    const std::string& path = model.file.path;
    if (!hashed.sha256.empty()) {
        Json& facts = models_[path];
        facts[kSha256] = hashed.sha256;
        facts[kIdentity] = identityJson(hashed.identity);
        for (const auto& [other, known] : models_.items()) {
            for (const char* key : {kNote, kImage}) {
                const std::string text = textIn(known, key);
                if (textIn(known, kSha256) == hashed.sha256 && textIn(facts, key).empty() &&
                    !text.empty()) {
                    facts[key] = text;
                }
            }
        }
        write();
        Q_EMIT changed(path);
    }
    Q_EMIT hashEnded(path, moduleSentence(hashed.problem));
    hashNext();
}

std::vector<FoundModel> modelsWithoutHash(const std::vector<FoundModel>& models,
                                          const ModelShelf& shelf,
                                          const std::set<ModelKind>& kinds) {
    std::vector<FoundModel> unread;
    for (const FoundModel& model : models) {
        if (kinds.contains(model.file.kind) && model.identity.size > 0 &&
            shelf.hashOf(model).empty()) {
            unread.push_back(model);
        }
    }
    std::stable_sort(unread.begin(), unread.end(), [](const auto& a, const auto& b) {
        return a.identity.size < b.identity.size;
    });
    return unread;
}

ModelSearch::ModelSearch(ModelShelf& shelf, QObject* parent) : QObject(parent), shelf_(shelf) {
    connect(&shelf_,
            &ModelShelf::hashProgressed,
            this,
            [this](const std::string& path, double fraction) {
                if (isAtWork_ && path == models_[at_].file.path) {
                    reportProgress(fraction);
                }
            });
    connect(&shelf_, &ModelShelf::hashEnded, this, &ModelSearch::take);
}

ModelSearch::~ModelSearch() {
    disconnect(&shelf_, nullptr, this, nullptr);
    cancel();
}

void ModelSearch::begin(const std::string& digits, std::vector<FoundModel> models) {
    digits_ = digits;
    models_ = std::move(models);
    at_ = 0;
    done_ = 0;
    total_ = 0;
    for (const FoundModel& model : models_) {
        total_ += model.identity.size;
    }
    found_ = SearchedModel();
    isAtWork_ = true;
    readNext();
}

void ModelSearch::cancel() {
    if (isAtWork_) {
        found_.isCancelled = true;
        shelf_.cancelHashing(std::string(models_[at_].file.path));
    }
}

void ModelSearch::readNext() {
    while (at_ < models_.size() && !shelf_.hashOf(models_[at_]).empty()) {
        if (hasHash(models_[at_])) {
            found_.model = models_[at_];
            break;
        }
        done_ += models_[at_++].identity.size;  // somebody else asked for its hash
    }
    if (found_.isFound() || at_ == models_.size()) {
        end();
        return;
    }
    reportProgress(0);
    shelf_.hash(models_[at_]);
}

void ModelSearch::reportProgress(double fraction) {
    const FoundModel& model = models_[at_];
    const auto part = static_cast<Bytes>(fraction * static_cast<double>(model.identity.size));
    Q_EMIT progressed(QString::fromStdString(model.file.name), done_ + part, total_);
}

void ModelSearch::take(const std::string& path, const QString& problem) {
    if (!isAtWork_ || path != models_[at_].file.path) {
        return;
    }
    const FoundModel& model = models_[at_];
    const bool isKnown = !shelf_.hashOf(model).empty();
    if (isKnown && hasHash(model)) {
        found_.isCancelled = false;
        found_.model = model;
    } else if (!problem.isEmpty()) {
        ++found_.unreadable;
        if (found_.problems.size() < kMostProblems) {
            found_.problems.push_back(problem);
        }
    } else {
        found_.isCancelled = found_.isCancelled || !isKnown;
    }
    if (found_.isFound() || found_.isCancelled) {
        end();
        return;
    }
    done_ += model.identity.size;
    ++at_;
    readNext();
}

bool ModelSearch::hasHash(const FoundModel& model) const {
    return shelf_.hashOf(model).starts_with(digits_);
}

void ModelSearch::end() {
    isAtWork_ = false;
    models_.clear();
    Q_EMIT ended(std::exchange(found_, SearchedModel()));
}

}  // namespace lowtide::ui
