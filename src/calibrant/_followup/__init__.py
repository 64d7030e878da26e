"""What people ask after the verdict: which is better, where it is wrong, how to repair it."""
