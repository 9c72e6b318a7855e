#pragma once

#include <QAccessibleWidget>

class QComboBox;

namespace lowtide::ui {

/// A list that shows its choice. On Linux Qt gives it the choice alone as its name, so nobody would
/// hear what is chosen: here it is "Sampler: Euler".
class ComboAccess : public QAccessibleWidget {
public:
    explicit ComboAccess(QComboBox& box);

    [[nodiscard]] QString text(QAccessible::Text text) const override;
    [[nodiscard]] QAccessible::State state() const override;
    [[nodiscard]] QStringList actionNames() const override;
    void doAction(const QString& action) override;

private:
    QComboBox& box_;
};

}  // namespace lowtide::ui
