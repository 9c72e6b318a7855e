#pragma once

#include "ui/editors/param_editor.hpp"

#include <QComboBox>
#include <QString>

namespace lowtide::ui {

/// From this many choices on the list has a search field.
inline constexpr int kSearchableFrom = 9;

/// A combo box that leaves the wheel to the panel behind it while it has no focus, and opens a
/// searchable list where there are many choices.
class ChoiceBox : public QComboBox {
    Q_OBJECT

public:
    explicit ChoiceBox(QWidget* parent = nullptr);

    /// Shows the item with this data; a value that is not in the list is shown as the text.
    void showItem(const QVariant& id, const QString& textOtherwise);
    /// Greys an item out, with the reason as its tooltip; empty: it may be chosen.
    void setRefusal(int index, const QString& reason);

    void showPopup() override;

protected:
    void wheelEvent(QWheelEvent* event) override;
};

/// One of a list, searchable where the list is long.
class ChoiceEditor : public ParamEditor {
    Q_OBJECT

public:
    ChoiceEditor(const ParamDesc& param, QWidget* parent);

    void begin() override;

protected:
    void showValue() override;

private:
    ChoiceBox* box_;
};

}  // namespace lowtide::ui
