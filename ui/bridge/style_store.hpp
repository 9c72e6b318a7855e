#pragma once

#include "ui/bridge/background.hpp"
#include "ui/prompts/prompt_styles.hpp"

#include <QObject>
#include <QString>

#include <vector>

namespace lowtide::ui {

/// A user's styles, in a file that several studios may share. Read and written on another
/// thread; each change begins with what the file contains then, so that studios keep each other's.
/// GUI thread only.
class StyleStore : public QObject {
    Q_OBJECT

public:
    /// `path` of the file; it is made when a style is first saved.
    explicit StyleStore(QString path, QObject* parent = nullptr);
    /// Waits until what was changed is written.
    ~StyleStore() override;

    [[nodiscard]] const std::vector<PromptStyle>& styles() const { return styles_; }

    /// nullptr: there is none.
    [[nodiscard]] const PromptStyle* find(const QString& name) const;

    /// Reads the file again: another studio may have written it.
    void refresh();
    /// Replaces the one of that name, or is added at the end.
    void put(const PromptStyle& style);
    /// A style of the new name is replaced.
    void rename(const QString& from, const QString& to);
    void remove(const QString& name);
    /// Adds those of an A1111 styles.csv or of a list in JSON (Fooocus).
    void import(const QString& path);

Q_SIGNALS:
    void changed();
    void imported(int styles);
    /// What could not be read or written, and why.
    void failed(const QString& problem);

private:
    using Styles = std::vector<PromptStyle>;
    struct Outcome;
    void change(std::function<void(Styles&)> edit);
    void run(std::function<void(Outcome&)> job);
    void take(const Outcome& outcome);

    const QString path_;
    Styles styles_;
    Background background_;
};

}  // namespace lowtide::ui
