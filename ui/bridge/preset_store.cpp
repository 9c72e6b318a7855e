#include "ui/bridge/preset_store.hpp"

#include "plugin/files/output_file.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <span>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kLargestSide = 256;
constexpr int kMostPixels = 1024 * 1024;        ///< of a thumbnail that somebody else made
constexpr const char* kBuiltinId = "builtin:";  ///< begins the id of a built-in preset

/// Null when it is damaged or larger than a thumbnail should be: a preset works without.
QImage thumbnailOf(const std::string& base64) {
    const QByteArray bytes = QByteArray::fromBase64(QByteArray::fromStdString(base64));
    const auto view =
        std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size())));
    try {
        const image::ImageSize size = image::pngSize(view, "thumbnail");
        if (size.widthPixels * size.heightPixels > kMostPixels) {
            return {};
        }
        return asImage(image::decodePng(view, "thumbnail").image)
            .convertToFormat(QImage::Format_ARGB32_Premultiplied);
    } catch (const Error&) {
        return {};
    }
}

/// The entry of a file in a folder of presets.
PresetEntry entryOf(const graph::PresetFile& file, bool isBuiltin, const IsThere& isThere) {
    PresetEntry entry;
    entry.id = QString::fromStdString((isBuiltin ? kBuiltinId : "") + file.id);
    const QString key = QString::fromStdString(file.id);
    const auto text = [&](const char* what, const QString& english) {
        entry.english.push_back(english);
        return isBuiltin ? presetText(key, what, english) : english;
    };
    entry.title = text("title", QString::fromStdString(file.title()));
    entry.isBuiltin = isBuiltin;
    entry.path = QString::fromStdString(file.path);
    if (file.refusal) {
        entry.problem = sentenceOf(*file.refusal);
        return entry;
    }
    const graph::Preset& preset = file.preset;
    entry.description = text("description", QString::fromStdString(preset.description));
    for (const std::string& tag : preset.tags) {
        entry.tags.push_back(QString::fromStdString(tag));
    }
    entry.family = preset.family;
    entry.cardMemory = parseBytes(preset.deviceMemory).value_or(0);
    entry.thumbnail = thumbnailOf(preset.thumbnail);
    const QString folder = QFileInfo(entry.path).absolutePath();
    for (const auto& [kind, values] : preset.files) {
        for (const std::string& value : values) {
            entry.files.push_back({.kind = QString::fromStdString(kind),
                                   .value = QString::fromStdString(value),
                                   .isThere = !isThere || isThere(value, folder)});
        }
    }
    for (const graph::ExposedParam& exposed : preset.document.exposed) {
        if (const auto node = preset.document.nodes.find(exposed.node);
            node != preset.document.nodes.end()) {
            entry.shown.push_back({exposed.node, node->second.type, exposed.param});
        }
    }
    return entry;
}

/// As its file has it.
QString titleOf(const PresetEntry& entry) {
    return entry.english.isEmpty() ? entry.title : entry.english.front();
}

/// At most 256 pixels a side, as a preset keeps it; empty for a null image.
std::string thumbnailText(const QImage& image) {
    if (image.isNull()) {
        return {};
    }
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    boundedBy(image, kLargestSide).save(&buffer, "PNG");
    return buffer.data().toBase64().toStdString();
}

constexpr Bytes kLargestPresetFile = 64 * kMiB;
constexpr int kLongestName = 60;
constexpr const char* kRehearsal = "fake";  ///< begins the name of a simulated card
const char* const kTrash = "/.trash/";

QString fileOf(const QString& folder, const QString& id) {
    return folder + QLatin1Char('/') + id + QStringLiteral(".json");
}

/// "Ein Bild, sehr groß" -> "ein_bild_sehr_groß": letters of any script, digits and "_".
QString fileNameOf(const QString& title) {
    QString name;
    for (const QChar each : title.trimmed().toLower()) {
        if (each.isLetterOrNumber() || each.isMark() || each.isSurrogate()) {
            name += each;
        } else if (!name.isEmpty() && !name.endsWith(QLatin1Char('_'))) {
            name += QLatin1Char('_');
        }
    }
    while (name.endsWith(QLatin1Char('_'))) {
        name.chop(1);
    }
    return name.isEmpty() ? QStringLiteral("preset") : name.left(kLongestName);
}

/// "name", "name_2", ...: the first that neither the folder nor its trash has.
QString freeId(const QString& folder, const QString& name) {
    QString id = name;
    for (int number = 2; QFileInfo::exists(fileOf(folder, id)) ||
                         QFileInfo::exists(fileOf(folder + QLatin1String(kTrash), id));
         ++number) {
        id = name + QStringLiteral("_%1").arg(number);
    }
    return id;
}

std::string titleFrom(const QString& title) {
    const QString trimmed = title.trimmed();
    if (trimmed.isEmpty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("the preset has no title"),
                    message("give it a title"),
                    "title");
    }
    return trimmed.toStdString();
}

void move(const QString& from, const QString& to) {
    QFile file(from);
    if (!file.rename(to)) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} cannot be moved: {}",
                            QFileInfo(from).fileName().toStdString(),
                            file.errorString().toStdString()));
    }
}

/// Of the other thread.
Planned planOf(Runner& runner, const std::string& graph, const std::string& options) {
    std::string text;
    const Status status = runner.plan(graph, options, text);
    const Json answer = answerOf(text);
    return {.issues = issuesFromJson(memberIn(answer, "issues")),
            .plan = status == Status::Ok ? memberIn(answer, "plan") : Json(),
            .isFresh = true};
}

}  // namespace

bool PresetEntry::isComplete() const {
    return std::all_of(
        files.begin(), files.end(), [](const RequiredFile& file) { return file.isThere; });
}

PresetStore::PresetStore(const graph::Catalog& catalog,
                         const QString& builtinFolder,
                         const QString& userFolder,
                         QObject* parent)
    : QObject(parent), catalog_(catalog), builtinFolder_(builtinFolder), userFolder_(userFolder) {
    reload();
}

void PresetStore::setIsThere(IsThere isThere) {
    isThere_ = std::move(isThere);
    lookForFiles();
}

/// A folder of models on a network takes its time for each file.
void PresetStore::lookForFiles() {
    isLooking_ = true;
    background_.run([this, look = ++look_, entries = entries_, isThere = isThere_]() mutable {
        for (PresetEntry& entry : entries) {
            const QString folder = QFileInfo(entry.path).absolutePath();
            for (RequiredFile& file : entry.files) {
                file.isThere = !isThere || isThere(file.value.toStdString(), folder);
            }
        }
        return [this, look, found = std::move(entries)] {
            if (look == look_) {
                isLooking_ = false;
                entries_ = found;
                Q_EMIT changed();
            }
        };
    });
}

/// A file that is as it was is not read again: some fifty lie in the two folders.
void PresetStore::reload() {
    ++look_;
    isLooking_ = false;
    const std::vector<PresetEntry> before = std::exchange(entries_, {});
    const std::map<QString, files::FileIdentity> readBefore = std::exchange(read_, {});
    for (const bool isBuiltin : {true, false}) {
        const QDir folder(isBuiltin ? builtinFolder_ : userFolder_);
        const size_t first = entries_.size();
        for (const QString& name :
             folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
            const QString path = folder.filePath(name);
            const auto isSame = [&](const PresetEntry& entry) { return entry.path == path; };
            const auto known = std::find_if(before.begin(), before.end(), isSame);
            const std::optional<files::FileIdentity> identity = identityOf(path);
            const auto read = readBefore.find(path);
            const bool isRead = identity && known != before.end() && read != readBefore.end() &&
                                read->second == *identity;
            entries_.push_back(
                isRead ? *known
                       : entryOf(graph::presetFileAt(path.toStdString()), isBuiltin, isThere_));
            if (identity) {
                read_[path] = *identity;
            }
        }
        if (!isBuiltin) {
            std::stable_sort(entries_.begin() + static_cast<std::ptrdiff_t>(first),
                             entries_.end(),
                             [](const PresetEntry& a, const PresetEntry& b) {
                                 return a.title.localeAwareCompare(b.title) < 0;
                             });
        }
    }
    Q_EMIT changed();
}

const PresetEntry* PresetStore::find(const QString& id) const {
    const auto found = std::ranges::find(entries_, id, &PresetEntry::id);
    return found == entries_.end() ? earlier(id) : &*found;
}

/// Saved settings and command lines go on naming them; each is read when it is asked for first.
const PresetEntry* PresetStore::earlier(const QString& id) const {
    if (const auto read = earlier_.find(id); read != earlier_.end()) {
        return &read->second;
    }
    const QString path =
        fileOf(builtinFolder_ + QLatin1Char('/') + QLatin1String(graph::kEarlierPresets),
               id.mid(QLatin1String(kBuiltinId).size()));
    if (!id.startsWith(QLatin1String(kBuiltinId)) || !QFileInfo(path).isFile()) {
        return nullptr;
    }
    const graph::PresetFile file = graph::presetFileAt(path.toStdString());
    return &earlier_.emplace(id, entryOf(file, true, {})).first->second;
}

graph::Document PresetStore::open(const QString& id) const {
    const PresetEntry& entry = known(id);
    graph::Preset preset = graph::readPreset(entry.path.toStdString());
    return graph::anchored(
        std::move(preset.document), catalog_, QFileInfo(entry.path).absolutePath().toStdString());
}

QString PresetStore::save(const PresetText& text,
                          graph::Document document,
                          const QString& graphFolder,
                          const QImage& thumbnail) {
    graph::Preset preset;
    preset.title = titleFrom(text.title);
    preset.description = text.description.trimmed().toStdString();
    for (const QString& tag : text.tags) {
        preset.tags.push_back(tag.toStdString());
    }
    if (document.device && document.device->starts_with(kRehearsal)) {
        document.device.reset();
    }
    preset.document = graph::anchored(std::move(document), catalog_, graphFolder.toStdString());
    preset.files = graph::requiredFiles(preset.document, catalog_);
    preset.thumbnail = thumbnailText(thumbnail);
    return write(fileNameOf(text.title), preset);
}

void PresetStore::rename(const QString& id, const QString& title) {
    graph::Preset preset = graph::readPreset(own(id).path.toStdString());
    preset.title = titleFrom(title);
    files::writeFileAtomically(fileOf(userFolder_, id).toStdString(), graph::toText(preset));
    reload();
}

void PresetStore::remove(const QString& id) {
    const QString path = own(id).path;
    files::makeFolders((userFolder_ + QLatin1String(kTrash)).toStdString());
    const QString trash = fileOf(userFolder_ + QLatin1String(kTrash), id);
    QFile::remove(trash);
    move(path, trash);
    removed_.push_back(id);
    reload();
}

QString PresetStore::restore() {
    if (removed_.isEmpty()) {
        return {};
    }
    const QString id = removed_.last();
    move(fileOf(userFolder_ + QLatin1String(kTrash), id), fileOf(userFolder_, id));
    removed_.removeLast();
    reload();
    return id;
}

ImportedPreset PresetStore::importFile(const QString& path) {
    const files::InputFile file(path.toStdString());
    const std::string text = file.readAll(kLargestPresetFile);
    graph::Preset preset;
    if (parseJson(text, file.name()).contains(graph::kPresetKey)) {
        preset = graph::readPreset(path.toStdString());
    } else {
        preset.title = titleFrom(QFileInfo(path).completeBaseName());
        preset.document = graph::parseDocument(text);
    }
    const graph::Document asSent = preset.document;
    preset.document =
        graph::anchored(asSent, catalog_, QFileInfo(path).absolutePath().toStdString());
    if (const PresetEntry* twin = twinOf(preset, asSent)) {
        return {.id = twin->id, .isNew = false};
    }
    preset.title = freeTitle(preset.title);
    preset.files = graph::requiredFiles(preset.document, catalog_);
    return {.id = write(fileNameOf(QFileInfo(path).completeBaseName()), preset)};
}

/// The preset of that title, words and graph; a built-in one names its files as it was sent.
/// nullptr: there is none.
const PresetEntry* PresetStore::twinOf(const graph::Preset& preset,
                                       const graph::Document& asSent) const {
    const std::string sent = graph::toText(asSent);
    const std::string taken = graph::toText(preset.document);
    for (const PresetEntry& entry : entries_) {
        if (!preset.title.empty() && titleOf(entry).toStdString() != preset.title) {
            continue;  // without a title the entry has the file's name
        }
        const graph::PresetFile file = graph::presetFileAt(entry.path.toStdString());
        if (file.refusal || file.preset.title != preset.title ||
            file.preset.description != preset.description || file.preset.tags != preset.tags) {
            continue;
        }
        const std::string own = graph::toText(file.preset.document);
        if (own == sent || own == taken) {
            return &entry;
        }
    }
    return nullptr;
}

/// "Fox", "Fox (2)", ...: the first that no preset has.
std::string PresetStore::freeTitle(const std::string& title) const {
    const QString wanted = QString::fromStdString(title);
    QString free = wanted;
    const auto isTaken = [&free](const PresetEntry& entry) { return free == titleOf(entry); };
    for (int number = 2; std::ranges::any_of(entries_, isTaken); ++number) {
        free = QStringLiteral("%1 (%2)").arg(wanted).arg(number);
    }
    return free.toStdString();
}

void PresetStore::exportFile(const QString& id, const QString& path) const {
    const files::InputFile file(known(id).path.toStdString());
    files::writeFileAtomically(path.toStdString(), file.readAll(kLargestPresetFile));
}

QString PresetStore::defaultFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/lowtide/presets");
}

const PresetEntry& PresetStore::known(const QString& id) const {
    if (const PresetEntry* entry = find(id)) {
        return *entry;
    }
    throw Error(ErrorKind::NotFound, message("there is no preset \"{}\"", id.toStdString()));
}

const PresetEntry& PresetStore::own(const QString& id) const {
    const PresetEntry& entry = known(id);
    if (entry.isBuiltin) {
        throw Error(ErrorKind::InvalidInput,
                    message("\"{}\" is built in and cannot be changed", entry.title.toStdString()),
                    message("open it and save it as a preset of your own"));
    }
    return entry;
}

QString PresetStore::write(const QString& name, const graph::Preset& preset) {
    files::makeFolders(userFolder_.toStdString());
    QString id;
    const auto next = [&] {
        id = freeId(userFolder_, name);
        return fileOf(userFolder_, id).toStdString();
    };
    static_cast<void>(files::writeNewFile(next, graph::toText(preset)));
    reload();
    return id;
}

PresetNeeds::PresetNeeds(Runner& runner, const PresetStore& store, QObject* parent)
    : QObject(parent), runner_(runner), store_(store) {}

void PresetNeeds::setOptions(const Json& options) {
    if (options != options_) {
        options_ = options;
        if (!last_.isEmpty()) {
            ask(last_);
        }
    }
}

void PresetNeeds::ask(const QString& id) {
    const int number = ++lastNumber_;
    last_ = id;
    std::string graph;
    try {
        graph = graph::toText(store_.open(id));
    } catch (const Error&) {
        return;  // the entry states what is wrong with it
    }
    Json options = options_;
    options["graphFolder"] = QFileInfo(store_.find(id)->path).absolutePath().toStdString();
    background_.run([this, number, id, graph, text = options.dump()]() -> Background::Answer {
        return [this, number, id, needs = planOf(runner_, graph, text)] {
            if (number == lastNumber_) {
                Q_EMIT answered(id, needs);
            }
        };
    });
}

}  // namespace lowtide::ui
