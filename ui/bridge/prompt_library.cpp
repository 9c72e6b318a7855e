#include "ui/bridge/prompt_library.hpp"

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/model_library.hpp"
#include "ui/bridge/run_library.hpp"
#include "ui/bridge/user_return.hpp"
#include "ui/document/edits.hpp"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

std::vector<int64_t> chunksIn(const Json& count) {
    std::vector<int64_t> chunks;
    for (const Json& tokens : memberIn(count, "chunks")) {
        chunks.push_back(tokens.is_number_integer() ? tokens.get<int64_t>() : 0);
    }
    while (chunks.size() > 1 && chunks.back() == 0) {
        chunks.pop_back();  // filled up to the length of another encoder's
    }
    return chunks;
}

constexpr const char* kPrompt = "prompt";
constexpr const char* kNegative = "negative";
/// Folders that are watched; of more, changes are seen when the window is entered.
constexpr int kMostWatched = 256;

QStringList withFound(QStringList paths, QDirIterator&& found) {
    while (found.hasNext() && paths.size() < kMostWatched) {
        paths << found.next();
    }
    return paths;
}

/// The folder, those below it, and the files of wildcards in them.
QStringList watchedBelow(const QString& folder) {
    constexpr auto kBelow = QDirIterator::Subdirectories;
    const QStringList top = QFileInfo(folder).isDir() ? QStringList{folder} : QStringList();
    return withFound(top, {folder, QDir::Dirs | QDir::NoDotAndDotDot, kBelow}) +
           withFound({}, {folder, {QStringLiteral("*.txt")}, QDir::Files, kBelow});
}

QString stemOf(const std::string& file) {
    return QFileInfo(QString::fromStdString(file)).completeBaseName();
}

}  // namespace

TextCounts textCountsIn(const Json& facts, const std::string& param) {
    TextCounts counts;
    counts.readsWeights = memberIn(facts, "reads_weights") != false;
    for (const Json& each : memberIn(facts, "texts")) {
        if (textIn(each, "parameter") == param) {
            const Json& read = memberIn(each, "read");
            counts.encoders.push_back(
                {.encoder = QString::fromStdString(textIn(each, "encoder")),
                 .chunks = chunksIn(each),
                 .capacity = bytesIn(each, "room"),
                 .cut = bytesIn(each, "cut"),
                 .readBytes = read.is_number_integer() ? read.get<int64_t>() : -1});
        }
    }
    return counts;
}

PromptPair pairOf(const std::string& param) {
    const std::string negative = kNegative;
    const bool isNegative = param.starts_with(negative);
    const std::string number = param.substr(
        std::min(param.size(), isNegative ? negative.size() : std::string(kPrompt).size()));
    return {.prompt = kPrompt + number, .negative = negative + number};
}

PromptLibrary::PromptLibrary(const Folders& folders,
                             GraphModel& model,
                             Planning& planning,
                             const ModelLibrary& models,
                             RunLibrary* runs,
                             QObject* parent)
    : QObject(parent),
      folder_(folders.wildcards),
      model_(model),
      planning_(planning),
      models_(models),
      runs_(runs),
      styles_(folders.styles) {
    connect(&planning_, &Planning::checked, this, &PromptLibrary::counted);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &PromptLibrary::readWildcards);
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &PromptLibrary::readWildcards);
    whenUserReturns(this, [this] {
        readWildcards();
        styles_.refresh();
    });
    readWildcards();
}

TextCounts PromptLibrary::countsOf(const std::string& node, const std::string& param) const {
    const CheckedNodes& checked = planning_.checkedNodes();
    TextCounts counts = textCountsIn(memberIn(checked.facts, node.c_str()), param);
    counts.isDrawn = checked.drawn.contains({.node = node, .param = param});
    counts.isConnected = hasModel(node);
    if (!counts.isConnected) {
        counts.encoders.clear();
    }
    return counts;
}

/// Whether every model that the node takes is connected.
bool PromptLibrary::hasModel(const std::string& node) const {
    const NodeDesc* desc = model_.desc(node);
    const auto& links = model_.document().links;
    return desc && std::all_of(desc->inputs.begin(), desc->inputs.end(), [&](const PortDesc& port) {
               return port.type != kModelType ||
                      std::any_of(links.begin(), links.end(), [&](const graph::Link& link) {
                          return link.to.node == node && link.to.port == port.id;
                      });
           });
}

void PromptLibrary::setKeys(const Keys& keys) {
    keys_ = keys;
    Q_EMIT keysChanged();
}

void PromptLibrary::readWildcards() {
    struct Read {
        std::shared_ptr<const WildcardFiles> files;
        QStringList watched;
    };

    background_.run([this, folder = folder_] {
        const auto read = std::make_shared<Read>();
        read->files =
            std::make_shared<const WildcardFiles>(ui::readWildcards(folder.toStdString()));
        read->watched = watchedBelow(folder);
        return [this, read] {
            watch(read->watched);
            if (read->files->lists != wildcards_->lists ||
                read->files->problems != wildcards_->problems) {
                wildcards_ = read->files;
                Q_EMIT wildcardsChanged();
            }
        };
    });
}

void PromptLibrary::watch(const QStringList& paths) {
    QStringList added;
    for (const QString& path : paths) {
        if (!watcher_.directories().contains(path) && !watcher_.files().contains(path)) {
            added << path;
        }
    }
    if (!added.isEmpty()) {
        watcher_.addPaths(added);
    }
}

void PromptLibrary::readOwnWords() {
    if (!runs_ || std::exchange(areOwnRead_, true)) {
        return;
    }
    runs_->askPrompts(model_.catalogForJobs(), this, [this](const PastPrompts& prompts) {
        background_.run([this, prompts] {
            const auto phrases = std::make_shared<std::vector<OwnPhrase>>(phrasesOf(prompts));
            return [this, phrases] { own_ = std::move(*phrases); };
        });
    });
}

std::vector<PromptWord> PromptLibrary::names() const {
    std::vector<PromptWord> all;
    for (const FoundModel& model : models_.models()) {
        const QString name = stemOf(model.relative);
        if (model.file.kind == ModelKind::Embedding) {
            all.push_back({.kind = PromptWord::Kind::Embedding,
                           .name = name,
                           .text = QStringLiteral("embedding:%1").arg(name)});
        } else if (model.file.kind == ModelKind::Lora) {
            all.push_back({.kind = PromptWord::Kind::Lora,
                           .name = name,
                           .text = QStringLiteral("<lora:%1:1>").arg(name)});
        }
    }
    for (const PromptStyle& style : styles_.styles()) {
        all.push_back({.kind = PromptWord::Kind::Style,
                       .name = QString::fromStdString(style.name),
                       .text = {}});
    }
    for (const auto& [name, lines] : wildcards_->lists) {
        const QString shown = QString::fromStdString(name);
        all.push_back({.kind = PromptWord::Kind::Wildcard,
                       .name = shown,
                       .text = QStringLiteral("__%1__").arg(shown)});
    }
    return all;
}

std::vector<PromptWord> PromptLibrary::wordsFor(const QString& typed, size_t most) const {
    std::vector<PromptWord> found;
    for (PromptWord& word : names()) {
        const bool begins = word.name.startsWith(typed, Qt::CaseInsensitive) ||
                            word.text.startsWith(typed, Qt::CaseInsensitive);
        if (found.size() < most && begins && word.text != typed) {
            found.push_back(std::move(word));
        }
    }
    for (const OwnPhrase& phrase : own_) {
        if (found.size() >= most) {
            break;
        }
        if (phrase.text.size() > typed.size() &&
            phrase.text.startsWith(typed, Qt::CaseInsensitive)) {
            found.push_back(
                {.kind = PromptWord::Kind::Own, .name = phrase.text, .text = phrase.text});
        }
    }
    return found;
}

void PromptLibrary::askPast(const std::string& nodeType,
                            const std::string& param,
                            QObject* context,
                            std::function<void(PastPrompts)> done) {
    if (!runs_) {
        return;
    }
    runs_->askPrompts(model_.catalogForJobs(),
                      context,
                      [nodeType, param, done = std::move(done)](PastPrompts prompts) {
                          std::erase_if(prompts, [&](const PastPrompt& prompt) {
                              return prompt.nodeType != nodeType || prompt.param != param;
                          });
                          done(std::move(prompts));
                      });
}

void PromptLibrary::putTexts(const std::vector<std::string>& nodes,
                             const std::map<std::string, QString>& texts,
                             const QString& title) {
    model_.endMerging();
    model_.apply(title, [&](graph::Document& document) {
        for (const std::string& id : nodes) {
            const auto node = document.nodes.find(id);
            for (const auto& [param, text] : texts) {
                if (node != document.nodes.end()) {
                    node->second.params[param] = text.toStdString();
                }
            }
        }
    });
}

QString PromptLibrary::textIn(const std::string& node, const std::string& param) const {
    const graph::DocumentNode* own = model_.node(node);
    return own ? QString::fromStdString(ui::textIn(own->params, param.c_str())) : QString();
}

void PromptLibrary::applyStyle(const std::vector<std::string>& nodes,
                               const std::string& param,
                               const PromptStyle& style) {
    const PromptPair pair = pairOf(param);
    model_.endMerging();
    model_.apply(tr("Apply style %1").arg(QString::fromStdString(style.name)),
                 [&](graph::Document& document) {
                     for (const std::string& id : nodes) {
                         const auto node = document.nodes.find(id);
                         const NodeDesc* desc = model_.desc(id);
                         if (node == document.nodes.end() || !desc) {
                             continue;
                         }
                         const auto put = [&](const std::string& to, const std::string& with) {
                             if (!with.empty() && graph::findParam(*desc, to)) {
                                 node->second.params[to] =
                                     styledText(with, ui::textIn(node->second.params, to.c_str()));
                             }
                         };
                         put(pair.prompt, style.prompt);
                         put(pair.negative, style.negative);
                     }
                 });
}

PromptStyle PromptLibrary::styleOf(const std::string& node, const std::string& param) const {
    const PromptPair pair = pairOf(param);
    return {.name = {},
            .prompt = textIn(node, pair.prompt).toStdString(),
            .negative = textIn(node, pair.negative).toStdString()};
}

}  // namespace lowtide::ui
