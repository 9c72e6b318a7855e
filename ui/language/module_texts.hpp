#pragma once

#include "plugin/host_api/host.hpp"

#include <QByteArray>
#include <QString>

#include <map>
#include <memory>

namespace lowtide::ui {

/// What the module says to people, in the language of the program: texts by permanent keys such as
/// "denoise.sample/steps/label", with the module's own English where there is none.
class ModuleTexts {
public:
    virtual ~ModuleTexts() = default;

    /// The text of `key`; `english` where this language has none.
    [[nodiscard]] virtual QString text(const QString& key, const QString& english) const;

    /// Any thread.
    [[nodiscard]] static std::shared_ptr<const ModuleTexts> current();
    static void setCurrent(std::shared_ptr<const ModuleTexts> texts);
};

/// Those of a file: {"key": {"en": "...", "text": "..."}}. What is damaged in it stays English.
class KeyedTexts : public ModuleTexts {
public:
    explicit KeyedTexts(const QByteArray& json);

    [[nodiscard]] QString text(const QString& key, const QString& english) const override;

private:
    std::map<QString, QString> texts_;
};

/// Gives a description the texts of the current language, from any other. Ids stay. GUI thread
/// only.
void reword(NodeDesc& desc);
/// The same of an issue as the module told it, by its code, its place and its facts; what has no
/// text of its own, or facts that are not there, stays English. Any thread.
void reword(Issue& issue);

/// What the module calls a node type or a parameter in its own English, whatever is shown:
/// identities of files are made from it.
[[nodiscard]] std::string englishLabel(const NodeDesc& desc);
[[nodiscard]] std::string englishLabel(const NodeDesc& desc, const ParamDesc& param);
[[nodiscard]] std::string englishCategory(const NodeDesc& desc);

/// A label that a graph keeps for a parameter under Generate, as it is shown: one that was taken
/// over from the module speaks the language of the program, one of a person's own stays.
[[nodiscard]] QString exposedLabel(const std::string& kept,
                                   const NodeDesc& desc,
                                   const ParamDesc& param);

/// Text of a built-in preset ("title", "description"), or of a tag.
[[nodiscard]] QString presetText(const QString& id, const char* what, const QString& english);
[[nodiscard]] QString tagText(const QString& tag);
/// A word of the module that has no owner: the phase of a node, the role of a component.
[[nodiscard]] QString moduleWord(const QString& english);
/// A sentence of the module without figures: what a memory policy does, why a choice is refused.
[[nodiscard]] QString moduleSentence(const std::string& english);

}  // namespace lowtide::ui
