"""Follow-up questions: which model is better, where it is wrong, and how to repair it."""
