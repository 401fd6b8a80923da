"""Training of the default model: mining, packing, training, evaluation and export."""
