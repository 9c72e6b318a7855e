#pragma once

#include "ui/bridge/preset_store.hpp"

#include <QDialog>
#include <QListView>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QStandardItemModel;

namespace lowtide::ui {

/// Presets as cards with images, of which one is chosen.
class PresetCards : public QListView {
    Q_OBJECT

public:
    explicit PresetCards(QWidget* parent = nullptr);

    /// Shows these; what was chosen remains chosen if it is among them.
    void setEntries(const std::vector<const PresetEntry*>& entries);
    /// Empty: none.
    [[nodiscard]] QString chosen() const;
    /// One that is not there: the first whose files are, else the first.
    void choose(const QString& id);

    [[nodiscard]] bool has(const QString& id) const { return indexOf(id).isValid(); }

    /// As high as its cards need at this width, without a scroll bar.
    void showWhole(int width);

Q_SIGNALS:
    void chosenChanged(const QString& id);
    /// Double click, or Enter.
    void taken(const QString& id);

protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    [[nodiscard]] QModelIndex indexOf(const QString& id) const;

    QStandardItemModel* cards_ = nullptr;
    QString unasked_;  ///< chosen because nobody had chosen
};

/// A title on a card: so many lines at most, the last of them with dots where more follows.
[[nodiscard]] QStringList cardLines(const QString& text, const QFont& font, qreal width, int most);
/// The thumbnail with round corners in a square of this many pixels, or an icon in its place.
[[nodiscard]] QPixmap cardImage(const PresetEntry& entry, int side, double scale);

/// Asks what the graph is to be called as a preset.
class PresetDialog : public QDialog {
    Q_OBJECT

public:
    /// `thumbnail` may be null: the preset gets none.
    PresetDialog(const PresetText& proposed, const QImage& thumbnail, QWidget* parent = nullptr);

    /// Tags are separated by commas; each once, without spaces around it.
    [[nodiscard]] PresetText text() const;

private:
    QLineEdit* title_ = nullptr;
    QLineEdit* tags_ = nullptr;
    QPlainTextEdit* description_ = nullptr;
    QPushButton* save_ = nullptr;
};

}  // namespace lowtide::ui
