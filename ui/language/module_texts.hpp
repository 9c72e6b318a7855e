#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/issue.hpp"
#include "plugin/host_api/host.hpp"
#include "ui/language/message_texts.hpp"

#include <QByteArray>
#include <QString>

#include <map>
#include <memory>
#include <optional>

namespace lowtide::ui {

/// What the module reports to users, in the program's language: texts by permanent keys such as
/// "denoise.sample/steps/label", with the module's own English where there is none.
class ModuleTexts {
public:
    virtual ~ModuleTexts() = default;

    /// The text of `key`; `english` where this language has none.
    [[nodiscard]] virtual QString text(const QString& key, const QString& english) const;
    /// A message by its format, or a text that is a word; nothing where this language lacks it.
    [[nodiscard]] virtual std::optional<QString> message(const Message& message) const;

    /// Any thread.
    [[nodiscard]] static std::shared_ptr<const ModuleTexts> current();
    static void setCurrent(std::shared_ptr<const ModuleTexts> texts);
};

/// Those of a file: {"key": {"en": "...", "text": "..."}}, and of messages as lrelease compiles
/// them. What is damaged in them remains English.
class KeyedTexts : public ModuleTexts {
public:
    explicit KeyedTexts(const QByteArray& json, QByteArray messages = {});

    [[nodiscard]] QString text(const QString& key, const QString& english) const override;
    [[nodiscard]] std::optional<QString> message(const Message& message) const override;

private:
    /// "denoiser" is a word; "node 3" is one where "node {0}" is. Others are left as they are.
    [[nodiscard]] QString wordOf(const QString& english) const;

    std::map<QString, QString> texts_;
    std::map<QString, QString> beginnings_;  ///< "node " of "node {0}"
    MessageTexts messages_;
};

/// Gives a description the texts of the current language, from any other. Ids are kept. GUI thread
/// only.
void reword(NodeDesc& desc);
/// The same for an issue as the module reported it: by its code, its node and its facts, else by
/// its messages. One that is not known remains English behind words that give its code. Any thread.
void reword(Issue& issue);
[[nodiscard]] Issues reworded(Issues issues);

/// What the module calls a node type or a parameter in its own English, whatever is shown:
/// identities of files are made from it.
[[nodiscard]] std::string englishLabel(const NodeDesc& desc);
[[nodiscard]] std::string englishLabel(const NodeDesc& desc, const ParamDesc& param);
[[nodiscard]] std::string englishCategory(const NodeDesc& desc);

/// A label that a graph keeps for a parameter under Generate, as it is shown: one that was taken
/// over from the module speaks the language of the program, one of a user's own is kept.
[[nodiscard]] QString exposedLabel(const std::string& kept,
                                   const NodeDesc& desc,
                                   const ParamDesc& param);

/// Text of a built-in preset ("title", "description"), or of a tag.
[[nodiscard]] QString presetText(const QString& id, const char* what, const QString& english);
[[nodiscard]] QString tagText(const QString& tag);
/// A word of the module that has no owner: the phase of a node, the role of a component.
[[nodiscard]] QString moduleWord(const QString& english);
/// A sentence of the module or of an error: what a memory policy does, why a choice is refused.
[[nodiscard]] QString moduleSentence(const Message& message);
/// What an error states, without what to do.
[[nodiscard]] QString errorText(const Error& error);
/// With a capital letter and a full stop, those of Chinese behind Chinese.
[[nodiscard]] QString asSentence(const QString& text);
/// What it states and what to do, with `between` in English.
[[nodiscard]] QString errorSentences(const Error& error, const char* between);
/// Two sentences as one text, of which the second may be empty: with `between`, or as Chinese joins
/// them.
[[nodiscard]] QString joinedSentences(const QString& first,
                                      const QString& second,
                                      const char* between);

}  // namespace lowtide::ui
