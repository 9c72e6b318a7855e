#pragma once

#include "ui/bridge/model_library.hpp"

#include <QWidget>

#include <optional>

class QComboBox;
class QLineEdit;

namespace lowtide::ui {

/// Which models a person wants to see, and in which order.
class ModelFilter : public QWidget {
    Q_OBJECT

public:
    enum class Order { Kind, Name, Newest, Largest };

    explicit ModelFilter(QWidget* parent = nullptr);

    /// Offers the kinds and families that are among them; what is chosen stays.
    void setModels(const std::vector<FoundModel>& models);

    /// Of words, kind and family.
    [[nodiscard]] bool accepts(const FoundModel& model, const QString& note) const;
    /// nullopt: any.
    [[nodiscard]] std::optional<ModelVerdict> verdict() const;
    [[nodiscard]] Order order() const;
    /// Whether the first comes before the second.
    [[nodiscard]] bool isBefore(const FoundModel& first, const FoundModel& second) const;

Q_SIGNALS:
    void changed();

private:
    QComboBox* addBox(const char* name, const QString& tip);

    QLineEdit* words_;
    QComboBox* kind_ = nullptr;
    QComboBox* family_ = nullptr;
    QComboBox* fit_ = nullptr;
    QComboBox* order_ = nullptr;
};

}  // namespace lowtide::ui
