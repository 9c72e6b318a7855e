#pragma once

#include "plugin/base/json.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/past_prompts.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/style_store.hpp"
#include "ui/document/graph_model.hpp"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::ui {

class ModelLibrary;
class RunLibrary;

/// Tokens of a prompt in one text encoder.
struct EncoderCount {
    QString encoder;              ///< what users call it: "CLIP-L"
    std::vector<int64_t> chunks;  ///< tokens of the text in each
    int64_t capacity = 0;         ///< the most in one
    int64_t cut = 0;              ///< tokens at the end that are left out
    int64_t readBytes = -1;       ///< of the text, where some are left out; -1: all

    bool operator==(const EncoderCount&) const = default;
};

/// Of one text in every encoder that reads it.
struct TextCounts {
    std::vector<EncoderCount> encoders;  ///< none: nobody knows
    bool isConnected = true;             ///< else there is no checkpoint to ask
    bool isDrawn = false;      ///< of one text that a template may become, not of what is written
    bool readsWeights = true;  ///< brackets have a meaning to the connected model

    bool operator==(const TextCounts&) const = default;
};

/// Counts of the text in `param`, from what the module reports about its node (docs/events.md).
/// The report is not trusted.
[[nodiscard]] TextCounts textCountsIn(const Json& facts, const std::string& param);

/// Something that may be written into a prompt.
struct PromptWord {
    enum class Kind { Own, Embedding, Lora, Style, Wildcard };

    Kind kind = Kind::Own;
    QString name;  ///< what a user types to find it
    QString text;  ///< what is written; of a style nothing: it is applied
};

/// What the studio knows for users who write prompts: tokens, words to complete, styles, earlier
/// prompts, wildcards. GUI thread only; reads and writes on other threads.
class PromptLibrary : public QObject {
    Q_OBJECT

public:
    struct Folders {
        QString wildcards;  ///< a folder
        QString styles;     ///< a file
    };

    /// All must outlive it; `runs` may be nullptr.
    PromptLibrary(const Folders& folders,
                  GraphModel& model,
                  Planning& planning,
                  const ModelLibrary& models,
                  RunLibrary* runs,
                  QObject* parent = nullptr);

    /// No encoder: no check has reported on the text yet.
    [[nodiscard]] TextCounts countsOf(const std::string& node, const std::string& param) const;

    [[nodiscard]] StyleStore& styles() { return styles_; }

    [[nodiscard]] const StyleStore& styles() const { return styles_; }

    [[nodiscard]] const std::shared_ptr<const WildcardFiles>& wildcards() const {
        return wildcards_;
    }

    [[nodiscard]] const QString& wildcardFolder() const { return folder_; }

    /// Looks at the folder again, and reads it where it changed.
    void readWildcards();
    /// Reads what was run so far, for completion, where runs came since it was read. Whoever
    /// begins to edit a prompt asks for it.
    void readOwnWords();

    /// A run was added, or its graph is another one.
    void forgetOwnWords() { areOwnRead_ = false; }

    /// What begins with `typed`, of any case: names first, then own words by use; `most` of them.
    [[nodiscard]] std::vector<PromptWord> wordsFor(const QString& typed, size_t most) const;
    /// Earlier texts of such a parameter, the newest first.
    void askPast(const std::string& nodeType,
                 const std::string& param,
                 QObject* context,
                 std::function<void(PastPrompts)> done);

    /// Whether an earlier run can be asked about at all.
    [[nodiscard]] bool hasPast() const { return runs_ != nullptr; }

    /// What a user presses for styles and earlier prompts, in native text; empty: nothing.
    struct Keys {
        QString styles;
        QString past;
    };

    [[nodiscard]] const Keys& keys() const { return keys_; }

    void setKeys(const Keys& keys);

    /// Puts texts by parameter into a node, as one step called `title`.
    void putTexts(const std::vector<std::string>& nodes,
                  const std::map<std::string, QString>& texts,
                  const QString& title);
    /// Applies a style to a prompt and the negative prompt of the same encoder, as one step.
    void applyStyle(const std::vector<std::string>& nodes,
                    const std::string& param,
                    const PromptStyle& style);
    /// The style that these texts would be.
    [[nodiscard]] PromptStyle styleOf(const std::string& node, const std::string& param) const;

Q_SIGNALS:
    /// countsOf() may give other counts.
    void counted();
    void wildcardsChanged();
    void keysChanged();
    /// A text of another program, which an import reads, was pasted into a prompt.
    void foreignPasted(const QString& text);

private:
    [[nodiscard]] bool hasModel(const std::string& node) const;
    [[nodiscard]] std::vector<PromptWord> names() const;
    [[nodiscard]] QString textIn(const std::string& node, const std::string& param) const;
    void watch(const QStringList& paths);

    const QString folder_;
    GraphModel& model_;
    Planning& planning_;
    const ModelLibrary& models_;
    RunLibrary* const runs_;
    StyleStore styles_;
    std::shared_ptr<const WildcardFiles> wildcards_ = std::make_shared<WildcardFiles>();
    std::vector<OwnPhrase> own_;
    bool areOwnRead_ = false;
    Keys keys_;
    QFileSystemWatcher watcher_;
    Background background_;
};

/// The parameters of a pair: "prompt_2" gives {"prompt_2", "negative_2"}.
struct PromptPair {
    std::string prompt;
    std::string negative;
};

[[nodiscard]] PromptPair pairOf(const std::string& param);

}  // namespace lowtide::ui
